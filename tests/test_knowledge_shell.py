from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxaudit.knowledge.effects import Effect
from ctxaudit.knowledge.shell import (
    classify,
    command_of,
    commands,
    directory,
    directory_of,
    normalise,
)

READS = """\
ls -la
cat a.py | head -20
rg -n foo src
find . -name '*.py'
find . -type f -exec grep -l x {} +
git status
git -C /w log --oneline -5
git diff HEAD~1 -- a.py
git branch -a
git branch --show-current
git stash list
git config --get user.name
git remote -v
git commit --dry-run
git apply --check a.patch
git --no-pager show HEAD
gh pr view 12 --json body
gh api repos/o/r/pulls
gh pr checks 12
kubectl -n prod get pods -w
kubectl describe pod x
kubectl apply --dry-run=client -f x.yaml
kubectl exec pod-1 -- cat /etc/hosts
docker ps -a
docker exec web ls /
docker logs -f x
curl -s https://x/api
curl -sSL -o /dev/null https://x
curl -X GET https://x
wget -qO- https://x
psql -c "SELECT 1 FROM t"
psql -h db -c 'select count(*) from t where a = ''insert'''
sqlite3 a.db .schema
mysql -e "SHOW TABLES"
sed -n 1,20p a.py
awk '{print $1}' a
ulimit -a
ps aux | grep node
pytest -q tests
python -m pytest
python3 -m unittest discover
npm test
npm run test:unit -- --watch=false
pnpm lint
yarn typecheck
make test
make -C sub check
cargo clippy
go test ./...
./gradlew :app:test
mvn -q verify
tsc --noEmit
eslint src
ruff check .
ruff format --check .
black --check .
prettier --check .
terraform plan
uv run pytest -q
poetry run mypy .
npx tsc --noEmit
timeout 60 pytest
sudo ls /root
env A=1 B=2 pytest
CI=1 pytest
cd /w && pytest 2>&1 | tail -5
bash -lc 'make test'
sh -c "ls | wc -l"
ls > /dev/null 2>&1
pytest > /tmp/out.log 2>&1
for f in *.py; do wc -l $f; done
if [ -f a ]; then cat a; else echo none; fi
while read l; do echo $l; done < a
echo "rm -rf /"
echo 'a > b'
grep -rn "git push" .
aws ec2 describe-instances --region x
gcloud run services list
systemctl status nginx
node --version
python -c 'import sys; print(sys.version)'
apt list --installed
brew info x
tar tzf a.tgz
unzip -l a.zip
xargs -n1 cat < files
ci status night
Get-Content a.txt | Select-Object -First 5
$x = Get-ChildItem -Recurse; $x.Count
case $x in a) ls;; esac
echo $((1 + 2))
crontab -l
kill -0 123
tail -f log
""".splitlines()

SETS = """\
rm -rf build
mv a b
mkdir -p a/b
touch x
sed -i s/a/b/ x
sed -i.bak -e s/a/b/ x
perl -pi -e s/a/b/ x
find . -name x -delete
find . -name x -exec rm {} \\;
ls | xargs rm
echo x > a
cat > a.py <<'EOF'
tee a
git add -A
git push origin main
git checkout -b x
git commit --amend --no-edit
git branch -D x
git tag v1
git stash
git config user.name x
gh pr merge 12
gh api -X DELETE repos/o/r
curl -X PUT https://x -d @a
curl -X DELETE https://x
curl -O https://x/a.tgz
wget https://x/a.tgz
kubectl apply -f x.yaml
kubectl delete pod x
helm upgrade x .
docker run --rm x
docker compose up
psql -c "UPDATE t SET a=1"
psql -c "DELETE FROM t"
npm install
npm run format
npm ci
pip install -r r.txt
uv sync
make install
make clean test
ruff check --fix .
ruff format .
black .
prettier --write .
eslint --fix src
cargo fmt
terraform apply
sudo systemctl restart nginx
aws s3 cp a s3://b
bash -c "rm x"
eval "rm x"
echo $(rm x)
echo `rm x`
diff <(sort a) <(rm b)
ls && rm x
ls || rm x
ls & rm x
(cd a && rm x)
ssh host rm x
kubectl exec p -- rm x
docker exec web rm /x
\\rm x
/bin/rm x
Remove-Item a
Set-Content a b
kill 123
apt-get install -y x
""".splitlines()

ADDS = """\
echo a >> b
ls | tee -a b
git commit -m x
gh pr create --fill
gh pr comment 12 -b hi
gh issue create -t x
gh api repos/o/r/issues -f title=x
curl -X POST https://x -d '{}'
curl -d a=1 https://x
curl --json '{}' https://x
http POST x a=1
psql -c "INSERT INTO t VALUES (1)"
npm publish
cargo publish
docker run -d x
kubectl create ns x
mail -s x bob
Add-Content a b
redis-cli incr n
cd /w && git add -A && git commit -m x
aws sns publish --topic x
""".splitlines()

UNKNOWNS = [
    "./run.sh",
    "python a.py",
    "frobnicate",
    "",
    "   ",
    "$CMD x",
    "bash deploy.sh",
    "perl a.pl",
]


@pytest.mark.parametrize("command", READS)
def test_reads(command: str) -> None:
    assert classify(command).effect is Effect.READ


@pytest.mark.parametrize("command", SETS)
def test_changes_that_do_not_add(command: str) -> None:
    found = classify(command)
    assert (found.effect, found.adds) == (Effect.MUTATION, False)


@pytest.mark.parametrize("command", ADDS)
def test_changes_that_add(command: str) -> None:
    found = classify(command)
    assert (found.effect, found.adds) == (Effect.MUTATION, True)


@pytest.mark.parametrize("command", UNKNOWNS)
def test_unknown(command: str) -> None:
    assert classify(command).effect is Effect.UNKNOWN


@pytest.mark.parametrize(
    ("text", "effect", "adds"),
    [
        ("cat <<'EOF'\nrm -rf /\nEOF\nls", Effect.READ, False),
        ("bash <<EOF\nrm x\nEOF", Effect.MUTATION, False),
        ("psql <<EOF\nINSERT INTO t VALUES (1);\nEOF", Effect.MUTATION, True),
        ("python - <<EOF\nprint(1)\nEOF", Effect.READ, False),
        ("# rm x\nls # rm y", Effect.READ, False),
        ("ls \\\n  -la", Effect.READ, False),
        ("gh issue list --search @'\nrm x\n'@", Effect.READ, False),
    ],
)
def test_here_documents_and_comments(text: str, effect: Effect, adds: bool) -> None:
    found = classify(text)
    assert (found.effect, found.adds) == (effect, adds)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("cd /w && npm test 2>&1 | tail -5", "npm test"),
        ("npm  test", "npm test"),
        ("npm test || true", "npm test"),
        ("npm test; echo $?", "npm test"),
        ('npm test; echo "exit: $?"', "npm test"),
        ("npm test 2>/dev/null | cat", "npm test"),
        ("npm test | head -n 50", "npm test"),
        ("npm test | grep x | head", "npm test | grep x"),
        ("set -e; npm test", "npm test"),
        ("CI=1 NO_COLOR=1 npm test", "npm test"),
        ("DB=x npm test", "DB=x npm test"),
        ("bash -lc 'cd /w && npm test'", "npm test"),
        ("timeout 60 npm test", "npm test"),
        ("source .venv/bin/activate && pytest", "pytest"),
        ("python3 -m pytest -q", "pytest -q"),
        ("/usr/bin/git status", "git status"),
        ("""grep "a b" x""", "grep 'a b' x"),
        ("""grep 'ab' x""", "grep ab x"),
        ("cd /w", "cd /w"),
        ("head -5 a", "head -5 a"),
        ("cat a | head -5 b", "cat a | head -5 b"),
        ("ls > out.txt", "ls >out.txt"),
        ("", ""),
    ],
)
def test_normalise(command: str, expected: str) -> None:
    assert normalise(command) == expected


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("npm test", "npm run lint"),
        ("grep a x", "grep b x"),
        ("ls | grep a", "ls | grep b"),
        ("git log", "git log -p"),
        ("cat a && cat b", "cat a"),
        ("echo a >x", "echo a >y"),
        ("python - <<E\n1\nE", "python - <<E\n2\nE"),
    ],
)
def test_normalise_keeps_apart(a: str, b: str) -> None:
    assert normalise(a) != normalise(b)


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        ("Bash", {"command": "ls"}, "ls"),
        ("bash", '{"command": "ls"}', "ls"),
        ("exec_command", {"cmd": "ls", "workdir": "/w"}, "ls"),
        ("shell", {"command": ["bash", "-lc", "ls | wc"]}, "ls | wc"),
        ("shell", {"command": ["git", "log", "a b"]}, "git log 'a b'"),
        ("run_commands", {"commands": ["ls -l", "pwd -P"]}, "ls -l\npwd -P"),
        ("local_shell_call", {"action": {"type": "exec", "command": ["ls"]}}, "ls"),
        ("developer__shell", {"command": "ls"}, "ls"),
        ("execute_bash", {"command": ""}, ""),
        ("Read", {"command": "ls"}, None),
        ("Bash", {"x": 1}, None),
        ("Bash", None, None),
        ("exec", "const r = await tools.x()", None),
    ],
)
def test_command_of(tool: str, arguments: object, expected: str | None) -> None:
    assert command_of(tool, arguments) == expected


def test_directory() -> None:
    assert directory("cd /w && ls") == "/w"
    assert directory("set -e; cd /w; ls") == "/w"
    assert directory("ls; cd /w") is None
    assert directory_of("exec_command", {"cmd": "cd a && ls", "workdir": "/w"}) == "/w/a"
    assert directory_of("exec_command", {"cmd": "ls", "workdir": "/w"}) == "/w"
    assert directory_of("Read", {"path": "x"}) is None


def test_commands_tell_program_and_files() -> None:
    first, second = commands("sudo -u x cp a b && echo y >> 'c d'")
    assert (first.argv0, first.words, first.letter) == ("cp", ("cp", "a", "b"), "m")
    assert (second.writes_to, second.letter, second.joined) == (("c d",), "a", "&&")


@pytest.mark.parametrize(
    "text",
    [
        "$(" * 20_000,
        "(" * 50_000,
        '"' + '$("' * 10_000,
        "`" * 20_001,
        "<<A " * 10_000 + "\n" * 10_000,
        "a" * 200_000,
        "a|" * 100_000,
        "sudo " * 50_000,
        "bash -c " * 30_000,
        "'" * 30_001,
        "\\" * 30_001,
        "psql -c '" + "--" * 8_000 + "/*" * 8_000,
        "psql -c 'select " + "a " * 9_000,
        "python -c '" + "open(" * 8_000 + "'",
        "x" + "= " * 9_000,
    ],
)
def test_hostile_text_is_fast(text: str) -> None:
    began = time.perf_counter()
    classify(text)
    normalise(text)
    assert time.perf_counter() - began < 1.5


SHELL = st.text(st.sampled_from("ab -'\"\\$()`|&;<>\n{}#=!@/.*0"), max_size=80)


@given(st.text(max_size=200) | SHELL)
def test_never_raises(text: str) -> None:
    assert classify(text).effect in Effect
    assert isinstance(normalise(text), str)
    directory(text)


@given(
    st.none()
    | st.text(max_size=20)
    | st.dictionaries(
        st.sampled_from(["command", "cmd", "action", "commands"]),
        st.none() | st.integers() | st.text() | st.lists(st.text() | st.integers()),
    )
)
def test_command_of_never_raises(arguments: object) -> None:
    for tool in ("Bash", "shell", "x"):
        assert command_of(tool, arguments) is None or isinstance(command_of(tool, arguments), str)
