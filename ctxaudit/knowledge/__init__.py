"""Tables about agents, tools and texts in the wild: data first, code second."""
