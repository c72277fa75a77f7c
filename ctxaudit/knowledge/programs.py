"""What command line programs do: the tables behind ``shell``.

The letters are those of ``verdict.LETTERS``: r looks, c checks (test, lint, build), p polls,
m changes, a adds.
"""

from __future__ import annotations

from ctxaudit.knowledge.tables import rows, word_set

#: Programs that do one kind of thing whatever their arguments are.
SIMPLE: dict[str, str] = rows(
    r="""ls ll cat bat head less more grep egrep fgrep rg ag ack fd fdfind wc sort uniq cut tr nl
    tac rev diff cmp comm file stat du df pwd whoami id groups hostname uname date cal echo printf
    printenv which whereis type whatis man info true false test [ [[ : basename dirname realpath
    readlink tree ulimit nproc free uptime lscpu lsblk lsof lsmod lspci lsusb ifconfig ss netstat
    dig nslookup host ping traceroute whois getent env locale getconf sysctl jq yq xmllint xxd od
    hexdump strings column fold fmt paste join expand seq yes md5sum sha1sum sha256sum shasum
    cksum base64 awk gawk mawk sed find tput clear history set shopt declare local export unset
    read shift return exit break continue trap source . cd pushd popd dirs alias unalias hash let
    umask zcat zgrep pgrep pstree w who last nm objdump readelf ldd otool dmesg vmstat iostat
    lsb_release sw_vers cloc tokei scc ast-grep sg delta eza exa zless pdftotext exiftool identify
    ffprobe mdls mdfind codesign objcopy vcgencmd nvidia-smi arch getfacl tty stty locate bc dc
    expr numfmt shuf look pr dir findstr where tasklist systeminfo ipconfig ver vol set-location
    gci gc gi sls select where-object foreach foreach-object sort-object group-object % ? ft fl
    out-string out-null out-host out-default convertto-json convertfrom-json write-output
    write-host write-error write-warning join-path resolve-path join-string import-module
    push-location pop-location""",
    c="""pytest py.test tox nox mypy pyright basedpyright flake8 pylint bandit pyflakes vulture
    radon jest vitest mocha ava karma cypress tsc vue-tsc eslint tslint stylelint jshint biome
    oxlint knip ruff black isort prettier gofmt gofumpt golangci-lint staticcheck govulncheck
    rspec rubocop phpunit phpstan psalm shellcheck shfmt hadolint yamllint actionlint zizmor
    markdownlint ctest ninja gcc g++ clang clang++ cc javac rustc swiftc ghc nvcc kubeconform
    kubeval tflint checkov trivy gitleaks semgrep lychee codespell typos deptry pip-audit coverage
    stack cabal meson clang-tidy clang-format ktlint detekt checkstyle vale rustfmt taplo
    xcodebuild tsd attw publint tsgo ponyc invoke-pester invoke-scriptanalyzer""",
    p="sleep wait watch tail top htop ps jobs journalctl",
    m="""rm rmdir mv cp mkdir touch ln chmod chown chgrp truncate shred install unlink rsync scp
    sftp dd patch tar unzip zip gzip gunzip bzip2 xz 7z kill pkill killall renice mount umount
    mkfs fdisk swapoff useradd userdel usermod groupadd passwd reboot shutdown poweroff iptables
    ufw dos2unix unix2dos mktemp tee sponge rename split csplit crontab launchctl setfacl chattr
    modprobe createdb dropdb createuser initdb pg_restore virtualenv pre-commit clean vim vi nano
    emacs code wget del erase copy move ren md rd icacls attrib xcopy robocopy taskkill setx
    remove-item move-item copy-item new-item set-content out-file rename-item ssh-keygen apt
    apt-get dnf yum pacman apk zypper brew port snap choco scoop winget""",
    a="""mail mailx mutt sendmail msmtp swaks ac add-content notify-send wall send-mailmessage at
    batch telegram-send slackcat tweet""",
)

#: Programs whose subcommand decides: letter -> subcommands, two-word ones with a colon.
#: ``*`` is what any other subcommand does, ``-`` the program without one.
SUBCOMMANDS: dict[str, dict[str, str]] = {
    "git": rows(
        r="""status log diff show blame shortlog describe rev-parse rev-list ls-files ls-tree
        ls-remote cat-file grep reflog name-rev merge-base for-each-ref show-ref show-branch
        whatchanged check-ignore check-attr count-objects version help var range-diff diff-tree
        diff-index diff-files verify-commit verify-tag fsck annotate cherry symbolic-ref
        stash:list stash:show worktree:list submodule:status remote:show remote:get-url remote:-v
        notes:show bisect:log - config:get config:list merge-tree hash-object format-patch
        archive""",
        m="""add push checkout switch restore reset merge rebase pull fetch clone init clean rm mv
        stash tag branch apply am cherry-pick revert worktree submodule remote config bisect gc
        notes update-index update-ref filter-branch filter-repo sparse-checkout lfs prune
        maintenance read-tree replace rerere subtree""",
        a="commit commit-tree",
    ),
    "gh": rows(
        r="""pr:view pr:list pr:diff pr:status issue:view issue:list issue:status repo:view
        repo:list run:view run:list run:download release:view release:list workflow:list
        workflow:view gist:view gist:list auth:status search:* label:list secret:list
        variable:list cache:list org:list project:view project:list project:item-list
        project:field-list api ruleset:list ruleset:view extension:list ssh-key:list status
        version help browse config:get config:list auth:token -""",
        p="pr:checks run:watch",
        m="""pr:edit pr:close pr:reopen pr:merge pr:ready pr:checkout issue:edit issue:close
        issue:reopen issue:delete issue:lock issue:pin repo:edit repo:delete repo:clone repo:sync
        repo:rename repo:archive run:cancel run:delete release:edit release:delete release:upload
        workflow:enable workflow:disable secret:set variable:set label:edit label:delete
        auth:login auth:logout cache:delete project:item-edit *""",
        a="""pr:create pr:comment pr:review issue:create issue:comment repo:create repo:fork
        run:rerun release:create workflow:run gist:create label:create project:item-add
        project:item-create""",
    ),
    "glab": rows(
        r="""mr:view mr:list mr:diff issue:view issue:list repo:view ci:list ci:get ci:view api
        release:list""",
        p="ci:status ci:trace",
        m="mr:update mr:merge mr:close issue:update issue:close *",
        a="mr:create mr:note issue:create issue:note release:create ci:run",
    ),
    "kubectl": rows(
        r="""get describe logs explain api-resources api-versions cluster-info version config:view
        config:current-context config:get-contexts top auth diff events rollout:history -
        kustomize plugin completion options""",
        p="wait rollout:status",
        m="""apply delete edit patch replace scale autoscale rollout set label annotate cordon
        uncordon drain taint config cp *""",
        a="create run expose",
    ),
    "helm": rows(
        r="list ls get show search template lint version history env diff repo:list status",
        m="install upgrade uninstall rollback repo dependency delete pull push *",
    ),
    "docker": rows(
        r="""images inspect version info history search port diff image:ls image:inspect
        container:ls container:inspect volume:ls volume:inspect network:ls network:inspect
        compose:config compose:images context:ls system:df manifest:inspect -""",
        p="ps logs stats top events wait compose:ps compose:logs compose:top",
        c="build compose:build buildx:build",
        m="rm rmi stop kill start restart run create pull push tag login cp prune commit compose *",
    ),
    "systemctl": rows(
        r="""cat show list-units list-unit-files list-timers is-enabled get-default
        list-dependencies -""",
        p="status is-active is-failed",
        m="*",
    ),
    "service": rows(p="*:status", m="*"),
    "npm": rows(
        r="""ls list view info show outdated search whoami config:get config:list root prefix bin
        help docs ping""",
        c="test t tst audit",
        m="""install i ci add uninstall remove rm update up link unlink prune dedupe rebuild init
        cache config version pack login logout set deprecate dist-tag""",
        a="publish",
    ),
    "pip": rows(
        r="list show freeze check search index config debug inspect help",
        m="install uninstall download wheel cache *",
    ),
    "uv": rows(
        r="""pip:list pip:show pip:freeze pip:check tree version python:list tool:list python:find
        help""",
        c="build",
        m="sync add remove lock pip venv init python tool cache self *",
        a="publish",
    ),
    "poetry": rows(
        r="show check env:info env:list version about config",
        c="build",
        m="install add remove update lock init env *",
        a="publish",
    ),
    "cargo": rows(
        r="tree metadata search locate-project pkgid version help info outdated",
        c="test check build clippy bench doc nextest fmt audit deny t b c rustc miri llvm-cov",
        m="""add remove rm install uninstall update clean new init fix fetch vendor
        generate-lockfile""",
        a="publish",
    ),
    "go": rows(
        r="list env version doc help mod:graph mod:why mod:verify tool",
        c="test build vet",
        m="mod get install generate fmt clean work fix",
    ),
    "mvn": rows(
        c="test verify compile package validate test-compile", m="install clean", a="deploy"
    ),
    "gradle": rows(
        r="tasks dependencies projects properties",
        c="test build check assemble compileJava lint",
        m="clean install",
        a="publish",
    ),
    "dotnet": rows(
        r="list --info --version --list-sdks",
        c="test build msbuild",
        m="restore clean add remove new publish tool format nuget",
    ),
    "terraform": rows(
        r="""show output validate providers version graph state:list state:show workspace:list
        workspace:show""",
        c="plan fmt",
        m="apply destroy init import taint untaint state workspace refresh *",
    ),
    "bazel": rows(r="query cquery aquery info version", c="test build coverage", m="clean"),
    "swift": rows(c="test build", m="package"),
    "deno": rows(r="info doc", c="test lint check bench", m="fmt install add remove", a="publish"),
    "bun": rows(r="pm", c="test build", m="install i add remove update link", a="publish"),
    "mix": rows(c="test compile format credo dialyzer", m="deps.get ecto.migrate"),
    "rails": rows(r="routes about", c="test", m="db:migrate", a="generate g"),
    "composer": rows(r="show info outdated validate", m="install update require remove *"),
    "bundle": rows(r="list show info outdated check", m="install update add *"),
    "make": rows(
        c="""test tests check lint build all typecheck type-check types verify unit integration
        e2e ci coverage compile vet mypy ruff pytest bench -""",
        m="""install clean fmt format deploy release publish fix setup distclean uninstall update
        generate migrate push up down start stop""",
    ),
    "aws": rows(
        r="s3:ls sts:get-caller-identity configure:list", m="s3:cp s3:mv s3:rm s3:sync configure"
    ),
    "gcloud": rows(r="info version config:list config:get-value auth:list projects:list"),
    "redis-cli": rows(
        r="""get mget keys scan ttl type exists info ping llen lrange hget hgetall smembers zrange
        dbsize""",
        m="set del flushall flushdb expire hset config",
        a="incr lpush rpush publish sadd xadd",
    ),
    "ollama": rows(r="list show ps", m="pull rm cp"),
    "claude": rows(r="--version doctor", m="mcp config update"),
    "tmux": rows(
        r="ls list-sessions list-windows list-panes has-session info display-message show-options",
        p="capture-pane",
        m="*",
        a="send-keys new-session new-window",
    ),
    "crictl": rows(r="ps images inspect logs pods"),
    "ip": rows(r="addr a route r link neigh -", m="addr:add addr:del route:add route:del link:set"),
    "conda": rows(r="list info search env:list", m="install create remove update env *"),
    "alembic": rows(
        r="current history heads show check", m="upgrade downgrade stamp", a="revision"
    ),
    "openssl": rows(r="version x509 s_client verify dgst", m="genrsa req"),
    "cmake": rows(c="--build -"),
    "nix": rows(r="eval search flake:show", c="build flake:check", m="profile"),
    "fly": rows(r="status logs list", m="deploy scale secrets *"),
    "vercel": rows(r="ls logs inspect", m="deploy *"),
    "heroku": rows(r="logs config apps ps", m="*"),
    "pulumi": rows(r="preview stack config", m="up destroy refresh *"),
    "supabase": rows(r="status", m="*"),
}
ALIASES = {
    **dict.fromkeys(("pip3", "pipx"), "pip"),
    **dict.fromkeys(("podman", "nerdctl", "docker-compose"), "docker"),
    **dict.fromkeys(("pnpm", "yarn", "mise", "turbo", "nx", "lerna"), "npm"),
    **dict.fromkeys(("mvnw",), "mvn"),
    **dict.fromkeys(("gradlew", "gradle.bat"), "gradle"),
    **dict.fromkeys(("gmake", "just", "task", "rake", "invoke", "nmake", "mage"), "make"),
    **dict.fromkeys(("oc", "k", "k3s", "microk8s.kubectl"), "kubectl"),
    **dict.fromkeys(("tofu", "terragrunt"), "terraform"),
    **dict.fromkeys(("mamba", "micromamba"), "conda"),
    **dict.fromkeys(("flyctl",), "fly"),
}
#: Options before the subcommand that take a value.
GLOBAL_VALUES: dict[str, frozenset[str]] = {
    "git": word_set("-C -c --git-dir --work-tree --namespace"),
    "gh": word_set("-R --repo --hostname"),
    "kubectl": word_set(
        """-n --namespace --context --kubeconfig --cluster --user -s --server -l --selector -f -o"""
    ),
    "helm": word_set("-n --namespace --kube-context --kubeconfig"),
    "docker": word_set("-H --host --context -c -f --file -p --project-name --profile --env-file"),
    "npm": word_set("--prefix -C -w --workspace --filter -F --dir --cwd"),
    "uv": word_set("--directory --project --python -p --config-file --cache-dir"),
    "poetry": word_set("-C --directory -P --project"),
    "make": word_set("-C -f -j --directory --file --jobs -I -o --justfile -d"),
    "cargo": word_set("--manifest-path --config -C --color -Z"),
    "go": frozenset(("-C",)),
    "mvn": word_set("-f --file -pl -P -s --projects"),
    "gradle": word_set("-p --project-dir -b"),
    "terraform": frozenset(("-chdir",)),
    "systemctl": word_set("-H --host -M --machine -n -p"),
    "aws": word_set("--profile --region --output --endpoint-url --query"),
    "redis-cli": word_set("-h -p -a -n -u"),
    "bun": frozenset(("--cwd", "--filter")),
    "conda": frozenset(("-n", "--name")),
}
#: Names of package scripts and make targets, by how they begin (``test:unit``, ``lint-js``).
SCRIPT_STEMS: dict[str, str] = rows(
    c="""test tests lint build check typecheck type tsc types compile verify unit e2e coverage ci
    validate vet""",
    m="""format fmt fix deploy release publish install clean generate codegen migrate seed prepare
    setup up down""",
)
#: Programs that run another command: options of theirs that take a value.
WRAPPERS: dict[str, frozenset[str]] = {
    "sudo": word_set("-u -g -h -p -C -T --user --group"),
    "doas": word_set("-u -C"),
    "env": word_set("-u --unset -C --chdir -S"),
    "nice": frozenset(("-n",)),
    "ionice": word_set("-c -n -p"),
    "stdbuf": word_set("-i -o -e"),
    "xargs": word_set("-I -n -P -L -d -a -s -E --max-args --max-procs --delimiter"),
    "parallel": word_set("-j --jobs"),
    "chrt": frozenset(),
    "watch": word_set("-n --interval"),
    "strace": word_set("-e -o -p -s"),
    **dict.fromkeys(
        ("nohup", "time", "command", "builtin", "exec", "then", "setsid", "caffeinate", "unbuffer"),
        frozenset(),
    ),
    **dict.fromkeys(
        ("npx", "bunx", "pnpx", "uvx"),
        word_set("-p --package --from --with --python"),
    ),
}
#: ``uv run X``, ``docker exec NAME X``: how many words stand before the inner command.
RUNNERS: dict[tuple[str, ...], tuple[int, frozenset[str]]] = {
    ("uv", "run"): (
        0,
        word_set("--with --extra --group --python -p --package --project --directory"),
    ),
    ("poetry", "run"): (0, frozenset()),
    ("pipenv", "run"): (0, frozenset()),
    ("pdm", "run"): (0, frozenset()),
    ("hatch", "run"): (0, frozenset()),
    ("rye", "run"): (0, frozenset()),
    ("pixi", "run"): (0, word_set("-e --environment")),
    ("conda", "run"): (0, word_set("-n --name -p")),
    ("bundle", "exec"): (0, frozenset()),
    ("npm", "exec"): (0, frozenset()),
    ("pnpm", "exec"): (0, frozenset()),
    ("pnpm", "dlx"): (0, frozenset()),
    ("yarn", "dlx"): (0, frozenset()),
    ("bun", "x"): (0, frozenset()),
    ("mise", "exec"): (0, frozenset()),
    ("docker", "exec"): (
        1,
        word_set("-u --user -w --workdir -e --env --env-file"),
    ),
    ("podman", "exec"): (1, word_set("-u --user -w --workdir -e --env")),
    ("docker-compose", "exec"): (1, word_set("-u --user -w --workdir -e --env")),
}
SHELLS = word_set("bash sh zsh dash ksh fish ash")
INTERPRETERS = word_set(
    """python python3 python2 node nodejs deno bun ruby perl php lua ipython pypy3"""
)
#: ``python -m X`` that is like the program X, or its letter.
MODULES = word_set(
    """pytest mypy ruff black isort flake8 pylint pip tox nox coverage bandit alembic"""
)
MODULE_LETTERS = rows(c="unittest compileall py_compile doctest build timeit tokenize", r="json.tool pprint site sysconfig", m="venv ensurepip zipfile")  # fmt: skip  # noqa: E501
#: Clients that take SQL, with the options that carry it.
SQL_CLIENTS: dict[str, frozenset[str]] = {
    "psql": frozenset(("-c", "--command")),
    "mysql": frozenset(("-e", "--execute")),
    "mariadb": frozenset(("-e", "--execute")),
    "sqlcmd": frozenset(("-Q", "-q")),
    "clickhouse-client": frozenset(("-q", "--query")),
    "snowsql": frozenset(("-q",)),
    "sqlite3": frozenset(),
    "duckdb": frozenset(("-c",)),
    "bq": frozenset(),
    "cockroach": frozenset(("-e",)),
}
#: Checks that write when told to, and the options that tell them.
FIXERS: dict[str, frozenset[str]] = {
    "eslint": frozenset(("--fix",)),
    "stylelint": frozenset(("--fix",)),
    "biome": word_set("--write --apply --fix"),
    "ruff": word_set("--fix --fix-only --unsafe-fixes --add-noqa"),
    "rubocop": word_set("-a -A --autocorrect --auto-correct"),
    "prettier": frozenset(("--write", "-w")),
    "gofmt": frozenset(("-w",)),
    "gofumpt": frozenset(("-w",)),
    "shfmt": frozenset(("-w",)),
    "clang-format": frozenset(("-i",)),
    "codespell": frozenset(("-w",)),
    "golangci-lint": frozenset(("--fix",)),
    "clippy": frozenset(("--fix",)),
    "npm": frozenset(("fix",)),
    "typos": frozenset(("-w",)),
    "pytest": frozenset(("--snapshot-update",)),
    "jest": word_set("-u --updateSnapshot"),
    "vitest": word_set("-u --update"),
}
#: Formatters that write unless told to look only.
FORMATTERS: dict[str, frozenset[str]] = {
    "black": word_set("--check --diff --version"),
    "isort": word_set("--check --check-only -c --diff"),
    "rustfmt": frozenset(("--check",)),
    "ruff format": frozenset(("--check", "--diff")),
    "cargo fmt": frozenset(("--check",)),
    "terraform fmt": frozenset(("-check",)),
    "dotnet format": frozenset(("--verify-no-changes",)),
    "mix format": frozenset(("--check-formatted",)),
}
#: PowerShell: the verb of ``Verb-Noun``.
CMDLET_VERBS: dict[str, str] = rows(
    r="""get select where test measure format convertto convertfrom compare group sort resolve
    split join read show find search write foreach""",
    p="wait watch",
    m="""set remove move copy rename clear stop start restart enable disable update install
    uninstall out export import expand compress register unregister reset""",
    a="add new send publish submit",
)
