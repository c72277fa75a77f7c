"""The built-in tools of well-known agents, where a name's verbs would mislead or say too little.

Names are squashed (no case, no separators). Agents copy each other's names, so one table does for
Claude Code, Codex, Gemini CLI, opencode, Cline, Roo Code, OpenHands, Copilot, Cursor, Windsurf,
Goose, pi, Hermes, OpenClaw, SWE-agent, deepagents, Letta and the browser servers.
"""

from __future__ import annotations

from ctxaudit.knowledge.tables import rows, word_set

#: Looks only, or touches nothing but the agent itself.
READS = """
read grep glob ls notebookread webfetch websearch bashoutput taskoutput tasklist taskget todoread
toolsearch listmcpresources listmcpresourcestool readmcpresource readmcpresourcetool skill
exitplanmode enterplanmode askuserquestion lsp monitor structuredoutput croncheck cronlist
readfile readfiles readmanyfiles listdirectory listdir listfiles searchfiles searchfile searchdir
searchfilecontent grepsearch grepfiles multigrep filesearch codebasesearch codesearch semanticsearch
listcodedefinitionnames viewimage viewfile showfile openfile findfile goto scrollup scrolldown open
googlewebsearch searchweb readurlcontent fetchwebpage webextract websearchtool view rg find
readcommandoutput getterminaloutput commandstatus readbash listbash readpowershell listpowershell
listagents readagent wait waitagent requestuserinput askuser askfollowupquestion question clarify
attemptcompletion planmoderespond exitplan planexit planenter completetask finish yield reportintent
fetchinstructions accessmcpresource loadmcpdocumentation activateskill invokeskill loadskill
codebaseinvestigator clihelp think sequentialthinking geterrors readlints getdiagnostics
gettaskoutput getchangedfiles testfailure viewcodeitem skillview skillslist sessionsearch
sessionslist sessionshistory sessionstatus memorysearch memoryget visionanalyze conversationsearch
archivalmemorysearch browsersnapshot browsertakescreenshot browserconsolemessages
browsernetworkrequests browserwaitfor resolvelibraryid getlibrarydocs symbolsoverview advisor
sleep invalid retrievetoolresult readomittedcontent contexttreequery sessionread tooldescribe
selecttools loadtools loadtool
"""
#: Test, lint and diagnostics runs: they read the whole working tree.
CHECKS = (
    "runtests runtest geterrors readlints getdiagnostics testfailure runlint runbuild runchecks"
)
#: Changes something; again with the same arguments leaves the same state.
SETS = """
write edit multiedit notebookedit todowrite taskupdate taskstop killbash killshell crondelete
teamdelete enterworktree exitworktree applypatch updateplan closeagent resumeagent writefile replace
writetodos writetofile replaceinfile applydiff searchandreplace editfile updatetodolist switchmode
newrule condense deletefile createfile createdirectory replacestringinfile
multireplacestringinfile inserteditintofile managetodolist editnotebookfile createnewjupyternotebook
searchreplace replacefilecontent todo updatetodo updatememory proposecode patch stopbash
stoppowershell corememoryreplace browsernavigate browserclick browsertype browserpresskey
browserselectoption browserfillform browserdrag browserclose browserhover browserresize submit
strreplace undoedit editor compresscontext prune discard distill
"""
#: Changes something, and again adds again.
ADDS = """
task agent taskcreate croncreate teamcreate sendmessage sendusermessage remotetrigger
schedulewakeup spawnagent sendinput savememory delegatetoagent delegatetask newtask insertcontent
insert generateimage delegate runsubagent subagent storememory sessionssend sessionsspawn
corememoryappend archivalmemoryinsert insertaftersymbol insertbeforesymbol
"""
#: Bare words that many custom tools share: the row holds only if one of these arguments is there.
NEEDS_PATH = word_set("write edit create patch replace insert read open view find")
NEEDS_PROMPT = word_set("task agent delegate subagent")
PATH_KEYS = word_set(
    """path file_path filePath file filename file_name paths notebook_path target_file patch
    patchText input relative_path absolute_path files edits"""
)
PROMPT_KEYS = word_set("prompt task instructions description message subagent_type agent")

#: Tools whose ``command`` or ``action`` is one of the words below.
EDITORS = word_set(
    """strreplaceeditor strreplacebasededittool texteditor fileeditor memory memorytool
    texteditor20250124 texteditor20250429 texteditor20250728 editortool"""
)
EDITOR_COMMANDS = {
    **dict.fromkeys(("view", "list", "read", "search"), "r"),
    **dict.fromkeys(("create", "write", "str_replace", "replace", "edit_file"), "m"),
    **dict.fromkeys(("undo_edit", "undo", "delete", "rename", "remove", "patch"), "m"),
    **dict.fromkeys(("insert", "append", "add"), "a"),
}
#: Computer use.
COMPUTERS = word_set("computer computeruse browseraction browser")
COMPUTER_READS = word_set(
    """screenshot cursor_position mouse_move wait zoom snapshot tabs status console scroll
    scroll_down scroll_up hover get_text extract"""
)

#: Squashed names of tools that take a shell command.
SHELLS = word_set(
    """bash shell sh zsh exec execcommand execcmd runcommand runcommands executebash
    executecommand executeshell runshellcommand runshell runbash runinterminal runterminalcmd
    runterminalcommand terminal terminalexec shellcommand localshell localshellcall shellexec
    bashtool shelltool powershell pwsh cmd commandline execute containerexec sandboxexec
    runinshell bashcommand executecommandline consoleexec sshexec console"""
)
#: Squashed names of tools that take program text.
CODES = word_set(
    """runcode executecode python runpython executepython executeipythoncell ipython
    codeinterpreter pythonrepl repl jupyter pythontool executejs runjavascript codeexecution
    runipythoncell exec pythoninterpreter"""
)


TABLE: dict[str, str] = rows(r=READS, c=CHECKS, m=SETS, a=ADDS) | {"create": "m"}
