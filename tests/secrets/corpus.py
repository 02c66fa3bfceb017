"""Texts with a secret in them and texts without, as they stand in hand-offs, ledgers, code and logs.

Made from what providers' pages say about their tokens' alphabets and lengths and from what such texts look
like; nothing here is read from the rules. The same seed gives the same texts. Every token is put together
when it is asked for, so that no file holds one.
"""

from __future__ import annotations

import base64
import hashlib
import json
import random
import string
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from urllib.parse import urlencode

LOWER = string.ascii_lowercase
UPPER = string.ascii_uppercase
DIGITS = string.digits
ALNUM = string.ascii_letters + DIGITS
HEX = DIGITS + "abcdef"
BASE64 = ALNUM + "+/"
URL_SAFE = ALNUM + "-_"


@dataclass(frozen=True)
class Sample:
    """A text, what it is, and the secret in it (empty: none)."""

    kind: str
    text: str = field(repr=False)
    secret: str = field(default="", repr=False)


def drawn(chance: random.Random, alphabet: str, length: int) -> str:
    return "".join(chance.choices(alphabet, k=length))


def encoded(text: str | bytes) -> str:
    raw = text.encode() if isinstance(text, str) else text
    return base64.b64encode(raw).decode()


def url_encoded(text: str | bytes) -> str:
    return encoded(text).replace("+", "-").replace("/", "_").rstrip("=")


def jwt(chance: random.Random) -> str:
    header = {"alg": chance.choice(["HS256", "RS256", "ES256"]), "typ": "JWT"}
    claims = {"sub": drawn(chance, DIGITS, 9), "iat": chance.randrange(10**9), "scope": "read"}
    parts = [url_encoded(json.dumps(part, separators=(",", ":"))) for part in (header, claims)]
    return ".".join([*parts, url_encoded(chance.randbytes(32))])


TOKENS: dict[str, Callable[[random.Random], str]] = {
    "github classic": lambda c: "ghp_" + drawn(c, ALNUM, 36),
    "github oauth": lambda c: "gho_" + drawn(c, ALNUM, 36),
    "github user": lambda c: "ghu_" + drawn(c, ALNUM, 36),
    "github server": lambda c: "ghs_" + drawn(c, ALNUM, 36),
    "github refresh": lambda c: "ghr_" + drawn(c, ALNUM, 76),
    "github fine": lambda c: "github_pat_" + drawn(c, ALNUM, 22) + "_" + drawn(c, ALNUM, 59),
    "gitlab personal": lambda c: "glpat-" + drawn(c, URL_SAFE, 20),
    "gitlab routable": lambda c: "glpat-" + drawn(c, URL_SAFE, 27) + ".01." + drawn(c, LOWER + DIGITS, 9),
    "gitlab runner": lambda c: "glrt-" + drawn(c, URL_SAFE, 20),
    "gitlab deploy": lambda c: "gldt-" + drawn(c, URL_SAFE, 20),
    "aws id": lambda c: "AKIA" + drawn(c, UPPER + "234567", 16),
    "aws temporary id": lambda c: "ASIA" + drawn(c, UPPER + "234567", 16),
    "google api": lambda c: "AIzaSy" + drawn(c, URL_SAFE, 33),
    "google client": lambda c: "GOCSPX-" + drawn(c, URL_SAFE, 28),
    "google access": lambda c: "ya29." + drawn(c, URL_SAFE, 160),
    "slack bot": lambda c: (
        "xoxb-" + "-".join((drawn(c, DIGITS, 12), drawn(c, DIGITS, 13), drawn(c, ALNUM, 24)))
    ),
    "slack user": lambda c: (
        "xoxp-" + "-".join((drawn(c, DIGITS, 12), drawn(c, DIGITS, 12), drawn(c, HEX, 32)))
    ),
    "slack app": lambda c: (
        "xapp-1-A" + drawn(c, UPPER + DIGITS, 10) + "-" + drawn(c, DIGITS, 13) + "-" + drawn(c, HEX, 64)
    ),
    "slack rotated": lambda c: "xoxe.xoxp-1-" + drawn(c, ALNUM, 160),
    "slack hook": lambda c: (
        "https://hooks.slack.com/services/T"
        + drawn(c, UPPER + DIGITS, 8)
        + "/B"
        + drawn(c, UPPER + DIGITS, 10)
        + "/"
        + drawn(c, ALNUM, 24)
    ),
    "teams hook": lambda c: (
        f"https://contoso.webhook.office.com/webhookb2/{made_uuid(c)}@{made_uuid(c)}/IncomingWebhook"
        f"/{drawn(c, HEX, 32)}/{made_uuid(c)}"
    ),
    "discord hook": lambda c: (
        "https://discord.com/api/webhooks/" + drawn(c, "123456789", 18) + "/" + drawn(c, URL_SAFE, 68)
    ),
    "discord bot": lambda c: (
        url_encoded(str(c.randrange(10**17, 10**18)))
        + "."
        + drawn(c, URL_SAFE, 6)
        + "."
        + drawn(c, URL_SAFE, 38)
    ),
    "atlassian": lambda c: "ATATT3xFfGF0" + drawn(c, URL_SAFE, 170) + "=" + drawn(c, "0123456789ABCDEF", 8),
    "atlassian connect": lambda c: (
        "ATCTT3xFfGN0" + drawn(c, URL_SAFE, 170) + "=" + drawn(c, "0123456789ABCDEF", 8)
    ),
    "clickup": lambda c: "pk_" + drawn(c, DIGITS, 8) + "_" + drawn(c, UPPER + DIGITS, 32),
    "openai": lambda c: "sk-" + drawn(c, ALNUM, 20) + "T3BlbkFJ" + drawn(c, ALNUM, 20),
    "openai project": lambda c: "sk-proj-" + drawn(c, URL_SAFE, 74) + "T3BlbkFJ" + drawn(c, URL_SAFE, 74),
    "openai service": lambda c: "sk-svcacct-" + drawn(c, URL_SAFE, 74) + "T3BlbkFJ" + drawn(c, URL_SAFE, 74),
    "openrouter": lambda c: "sk-or-v1-" + drawn(c, HEX, 64),
    "deepseek": lambda c: "sk-" + drawn(c, HEX, 32),
    "anthropic": lambda c: "sk-ant-api03-" + drawn(c, URL_SAFE, 93) + "AA",
    "anthropic oauth": lambda c: "sk-ant-oat01-" + drawn(c, URL_SAFE, 93) + "AA",
    "huggingface": lambda c: "hf_" + drawn(c, string.ascii_letters, 34),
    "npm": lambda c: "npm_" + drawn(c, ALNUM, 36),
    "pypi": lambda c: "pypi-AgEIcHlwaS5vcmc" + drawn(c, URL_SAFE, 140),
    "docker": lambda c: "dckr_pat_" + drawn(c, URL_SAFE, 27),
    "stripe": lambda c: "sk_live_" + drawn(c, ALNUM, 99),
    "stripe restricted": lambda c: "rk_live_" + drawn(c, ALNUM, 24),
    "twilio": lambda c: "SK" + drawn(c, HEX, 32),
    "sendgrid": lambda c: "SG." + drawn(c, URL_SAFE, 22) + "." + drawn(c, URL_SAFE, 43),
    "telegram": lambda c: drawn(c, "123456789", 10) + ":AA" + drawn(c, URL_SAFE, 33),
    "azure storage": lambda c: (
        f"DefaultEndpointsProtocol=https;AccountName=logs;AccountKey={encoded(c.randbytes(64))};EndpointSuffix=core.windows.net"
    ),
    "azure sas": lambda c: (
        "https://logs.blob.core.windows.net/c/b?sv=2024-11-04&se=2026-01-01T00%3A00%3A00Z&sr=b&sp=r&"
        + urlencode({"sig": encoded(c.randbytes(32))})
    ),
    "azure app": lambda c: drawn(c, ALNUM, 3) + "8Q~" + drawn(c, ALNUM + "-_.", 34),
    "digitalocean": lambda c: "dop_v1_" + drawn(c, HEX, 64),
    "linear": lambda c: "lin_api_" + drawn(c, ALNUM, 40),
    "notion": lambda c: "ntn_" + drawn(c, DIGITS, 11) + drawn(c, ALNUM, 35),
    "vault": lambda c: "hvs." + drawn(c, URL_SAFE, 95),
    "databricks": lambda c: "dapi" + drawn(c, HEX, 32),
    "json web token": jwt,
    "age": lambda c: "AGE-SECRET-KEY-1" + drawn(c, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
    "pem": lambda c: pem(c, c.choice(["RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", "DSA ", ""])),
    "pem on one line": lambda c: pem(c, "").replace("\n", "\\n"),
    "pem in base64": lambda c: encoded(pem(c, "OPENSSH ")),
    "pem in folded base64": lambda c: folded(encoded(pem(c, "RSA ")), 76),
    "key file in base64": lambda c: encoded(
        json.dumps({"type": "service_account", "private_key": pem(c, "")})
    ),
    "postgres url": lambda c: (
        f"postgresql://svc_orders:{drawn(c, ALNUM, 14)}@db-{c.randrange(9)}.internal:5432/orders"
    ),
    "mongo url": lambda c: (
        f"mongodb+srv://reporting:{drawn(c, ALNUM + '!$%-', 16)}@c0.x1.mongodb.net/prod?retryWrites=true"
    ),
    "amqp url": lambda c: (
        f"amqps://worker:{c.choice(['correcthorse', 'Blue-Falcon-77', 'nimbus2026'])}@mq.internal/vhost"
    ),
    "git url": lambda c: f"https://x-access-token:{drawn(c, ALNUM, 40)}@git.example.org/team/app.git",
    "redis url": lambda c: f"redis://:{drawn(c, HEX, 24)}@cache.internal:6379/0",
}

WRAPPINGS = (
    "{}",
    "The deploy failed with 401 until I used {} by hand; rotate it.",
    "export DEPLOY_VALUE={}",
    "  value: {}",
    'const client = connect("{}");',
    "2026-07-01T12:00:03Z INFO request sent using={} status=200",
    "- tried `{}` in staging, it works",
    "({})",
    "found <{}>, please remove",
    "curl -H 'X-Auth: {}' https://api.example.org/v1/me",
)

NAMED: dict[str, Callable[[random.Random], str]] = {
    "env api key": lambda c: f"DATADOG_API_KEY={drawn(c, HEX, 32)}",
    "env secret": lambda c: f"JWT_SECRET={drawn(c, ALNUM, 32)}",
    "env secret key": lambda c: f"export SECRET_KEY='{drawn(c, ALNUM + '!@#%^&*-_=+', 50)}'",
    "env password": lambda c: f"DB_PASSWORD={drawn(c, ALNUM, 16)}",
    "env password short": lambda c: (
        f"PGPASSWORD={c.choice(['Winter', 'Kafka', 'Rotterdam', 'Zebra'])}{c.randrange(1980, 2030)}!"
    ),
    "yaml password": lambda c: f"  password: {drawn(c, ALNUM, 12)}",
    "yaml quoted": lambda c: "smtp_pass" + f'word: "{drawn(c, ALNUM + "!@#%", 14)}"',
    "json secret": lambda c: json.dumps({"client_secret": drawn(c, URL_SAFE, 40)}),
    "json token": lambda c: json.dumps({"refresh_token": drawn(c, ALNUM, 64), "expires_in": 3600}),
    "json in json": lambda c: json.dumps(json.dumps({"password": drawn(c, ALNUM, 14)})),
    "python": lambda c: "api_" + f'key = "{drawn(c, ALNUM, 32)}"',
    "python typed": lambda c: "auth_to" + f'ken: str = "{drawn(c, ALNUM, 40)}"',
    "python dict": lambda c: f"headers['X-Api-Key'] = '{drawn(c, ALNUM, 36)}'",
    "javascript": lambda c: f"const apiKey = '{drawn(c, ALNUM, 39)}';",
    "go": lambda c: "pass" + f'word := "{drawn(c, ALNUM + "!#", 13)}"',
    "ruby": lambda c: f":secret_key_base => '{drawn(c, HEX, 128)}'",
    "toml": lambda c: "access_to" + f'ken = "{drawn(c, HEX, 40)}"',
    "ini": lambda c: f"passwd = {drawn(c, ALNUM, 11)}9z",
    "xml": lambda c: f"<password>{drawn(c, ALNUM, 16)}</password>",
    "aws secret": lambda c: f"aws_secret_access_key = {drawn(c, BASE64, 40)}",
    "aws secret json": lambda c: json.dumps({"SecretAccessKey": drawn(c, BASE64, 40)}),
    "npmrc": lambda c: f"//npm.example.org/:_authToken={drawn(c, ALNUM, 36)}",
    "bearer": lambda c: f"Authorization: Bearer {drawn(c, URL_SAFE, 43)}",
    "bearer curl": lambda c: f'curl -H "Authorization: Bearer {drawn(c, HEX, 40)}" https://api.example.org',
    "token header": lambda c: f"Authorization: token {drawn(c, HEX, 40)}",
    "basic": lambda c: "Authorization: Basic " + encoded("deploy:" + drawn(c, ALNUM, 16)),
    "docker auth": lambda c: json.dumps(
        {"auths": {"r.example.org": {"auth": encoded("ci:" + drawn(c, ALNUM, 20))}}}
    ),
    "flag": lambda c: f"deploy --token {drawn(c, ALNUM, 32)} --region eu",
    "flag is": lambda c: f"helm upgrade app --password={drawn(c, ALNUM, 14)}",
    "curl user": lambda c: f"curl -u admin:{drawn(c, ALNUM, 14)} https://ci.example.org/build",
    "netrc": lambda c: f"machine git.example.org login ci password {drawn(c, ALNUM, 18)}",
    "query": lambda c: f"GET /hook?access_token={drawn(c, ALNUM, 32)}&v=2",
    "prose": lambda c: f"the new staging password: {drawn(c, ALNUM, 12)} (changes on Monday)",
    "connection": lambda c: (
        f"Server=tcp:sql.example.org;User ID=app;Password={drawn(c, ALNUM + '!#', 14)};Encrypt=True"
    ),
    "base64 token": lambda c: "data: " + encoded("token is ghp_" + drawn(c, ALNUM, 36) + "\n"),
}


def made_uuid(chance: random.Random) -> str:
    return str(uuid.UUID(int=chance.getrandbits(128), version=4))


def folded(text: str, width: int) -> str:
    return "\n".join(text[start : start + width] for start in range(0, len(text), width))


def pem(chance: random.Random, kind: str) -> str:
    body = folded(encoded(chance.randbytes(300)), 64)
    return f"-----BEGIN {kind}PRIVATE KEY-----\n{body}\n-----END {kind}PRIVATE KEY-----\n"


def must_find(seed: int) -> Iterator[Sample]:
    """Each kind of token in four surroundings, and each named secret three times."""
    chance = random.Random(seed)
    for kind, make in TOKENS.items():
        for wrapping in chance.sample(WRAPPINGS, 4):
            secret = make(chance)
            yield Sample(f"{kind} in {wrapping}", wrapping.format(secret), secret)
    for kind, make in NAMED.items():
        for _ in range(3):
            text = make(chance)
            yield Sample(kind, text, text)


PROSE = """\
token: rotated nightly by the scheduler
The password policy: at least twelve characters, one digit.
secret: kept in the vault, ask the platform team
Authorization: bearer tokens are required on every call, basic is refused
We looked at the api key: it expires in 90 days and is bound to one IP.
task-runner-2026 reads risk-based plans; see disk-watch.timer, desk-side-001, mask-rcnn-v2
graphp_node and graphp_x are helpers of the graph tool; ask-me-42 is a bot
Use a token of the form ghp_... or github_pat_..., never commit it.
Keys start with sk- or sk-ant-, tokens of Slack with xoxb-, those of AWS with AKIA.
Set OPENAI_API_KEY to your key (sk-...), then run make.
The Basic plan has no SSO; the bearer of this letter may enter.
Session keys are rotated; the public key is in docs/keys.md.
password: see 1Password, item 4411
Passwords: 12 of 340 were reset
Tokens used: 154000 of 200000 in this session
max_tokens=4096, temperature=0.2, tokenizer: cl100k_base
Rejected: caching the token in Redis2, since token_type: bearer-v2 broke it
the secret: there is none
Open question: does `token` in step 2 expire after 2026-07-01T12:00:00Z?
Next: rename secret_name=orders-db-credentials-v2 in k8s and redeploy
postgres://user:password@localhost:5432/db is the documented default
postgres://postgres:postgres@localhost:5432/test in docker compose
redis://localhost:6379/0 and http://127.0.0.1:8080/@scope/pkg
https://example.org/a:b@c and git@github.com:org/repo.git
mongodb://<user>:<password>@cluster0.example.net/admin
https://${USER}:${TOKEN}@git.example.org/x.git
amqp://guest:guest@rabbitmq:5672/
https://x-access-token:${{ secrets.GITHUB_TOKEN }}@github.com/o/r
http://user:****@proxy.internal:3128
Compare sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 with the lock
-----BEGIN PUBLIC KEY----- is fine to publish, -----BEGIN CERTIFICATE----- as well
Look for "BEGIN PRIVATE KEY" in the diff before pushing
the header -----BEGIN RSA PRIVATE KEY----- starts a key file
"""

CODE = """\
token = get_token(request, refresh=True)
password = os.environ["DB_PASSWORD_2"]
api_key = settings.api_key2
const token = await fetchToken2(session);
secret: ${{ secrets.DEPLOY_TOKEN_V2 }}
password: ${DB_PASSWORD}
PASSWORD=$DB_PASSWORD1
API_KEY=<YOUR_KEY>
api_key=your_api_key_here
token: YOUR_TOKEN_HERE
client_secret = "changeme"
password = "changeme123"
password="********"
token='xxxxxxxxxxxxxxxxxxxxxxxx'
secret = "REDACTED"
password: [REDACTED]
apiKey: process.env.OPENAI_API_KEY,
token=%s
password={password}
"password": "{{ vault_db_password_2 }}"
password = getpass.getpass("Password: ")
def check(token: str, secret: bytes | None = None) -> bool:
if token == "": raise MissingToken2
password: str = Field(min_length=12)
token_count = 123456789012
token_url: https://login.example.org/oauth2/v2.0/token
token_endpoint_auth_method: client_secret_basic
secretKeyRef: {name: db-credentials-v2, key: password}
secretName: tls-wildcard-2026
passwordHash: bcrypt-12
password_hash = "$2b$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW"
tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased-2018")
csrf_token = form.csrf_token2
nextPageToken: "CAUQAA3f9kQ2mZ7xW1pL8"
page_token=eyJvZmZzZXQiOjIwMH0
secret = arn:aws:secretsmanager:eu-west-1:123456789012:secret:orders-AbC12d
password: op://Engineering/orders-db-2/password
token: vault:secret/data/ci2#token
"token": null, "secret": false, "api_key": ""
api_key: "test"
PASSWORD_FILE=/run/secrets/db_password_1
token = "/run/secrets/token2"
access_token: Optional[str] = None  # noqa: S105
self.password = password1
expect(password).toBe("newPassword1")
github_token: ${{ github.token }}
curl -H "Authorization: Bearer $GITHUB_TOKEN" https://api.github.com
curl -H "Authorization: Bearer <token>" https://api.example.org
Authorization: Basic <base64 of user:password>
headers = {"Authorization": f"Bearer {token}"}
Authorization: Bearer ${ACCESS_TOKEN}
docker run -u 1000:1000 --name app image
ssh -u user:group host
docker login --password-stdin registry.example.org
mysql --password
gh auth login --with-token < token.txt
class SecretKey(BaseModel): key: SecretStr
keyboard: "azerty-latin9", monkey: banana42
cache-key: linux-pip-3.11-4f2a9c
key: ${{ runner.os }}-node-${{ hashFiles('**/package-lock.json') }}
AWS_SECRET_ACCESS_KEY=${AWS_SECRET_ACCESS_KEY}
pk_user_id int primary key
npm_config_cache=/tmp/npm; npm_lifecycle_event=test
hf_hub_download(repo_id="org/model2", filename="config.json")
whsec_ and sk_test_ values are for tests
dapi is short for data api; dop_v1 too
"""


_PLAIN = """\
rotate nightly job billing orders worker deploy cluster queue retry schema window report branch review
session cache reader writer stale check summary canary vendor ticket matrix render output"""
PLAIN = _PLAIN.split()
NAMES = ("token", "secret", "api_key", "password")


def _commit(c: random.Random) -> str:
    return f"{drawn(c, HEX, 40)} Merge pull request #{c.randrange(9999)} from org/feature-{c.randrange(99)}"


HARMLESS: dict[str, Callable[[random.Random], str]] = {
    "commit": _commit,
    "short commits": lambda c: f"base {drawn(c, HEX, 7)}..{drawn(c, HEX, 9)}, tree {drawn(c, HEX, 40)}",
    "digest": lambda c: f'"src/**": "sha256:{drawn(c, HEX, 64)}"',
    "uuid": lambda c: json.dumps({"finding_id": made_uuid(c), "critic_model_id": "claude-sonnet-4-6"}),
    "issue key": lambda c: json.dumps(
        {"issue_key": "ik_" + drawn(c, HEX, 16), "decision_key": drawn(c, HEX, 16)}
    ),
    "npm lock": lambda c: f'"integrity": "sha512-{encoded(c.randbytes(64))}"',
    "npm url": lambda c: (
        f"resolved https://registry.example.org/@scope/p/-/p-1.{c.randrange(99)}.3.tgz#{drawn(c, HEX, 40)}"
    ),
    "pip lock": lambda c: f"requests==2.{c.randrange(40)}.0 --hash=sha256:{drawn(c, HEX, 64)}",
    "go sum": lambda c: f"golang.org/x/net v0.{c.randrange(40)}.0 h1:{encoded(c.randbytes(32))}",
    "cargo lock": lambda c: f'checksum = "{drawn(c, HEX, 64)}"',
    "image": lambda c: f"FROM debian:trixie-slim@sha256:{drawn(c, HEX, 64)}",
    "action pin": lambda c: f"uses: actions/checkout@{drawn(c, HEX, 40)} # v4.{c.randrange(9)}.1",
    "ssh public": lambda c: f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{drawn(c, BASE64, 43)} dev@laptop",
    "fingerprint": lambda c: f"SHA256:{drawn(c, BASE64, 43)} (ED25519)",
    "certificate": lambda c: (
        f"-----BEGIN CERTIFICATE-----\n{folded(encoded(c.randbytes(200)), 64)}\n-----END CERTIFICATE-----"
    ),
    "image data": lambda c: f"data:image/png;base64,iVBORw0KGgoAAAANSUhEUg{encoded(c.randbytes(200))}",
    "log": lambda c: (
        f"2026-07-0{c.randrange(1, 9)}T12:00:{c.randrange(10, 59)}.123Z [worker-{c.randrange(9)}]"
        f" request_id={made_uuid(c)} took {c.randrange(999)}ms"
    ),
    "trace": lambda c: f"traceparent: 00-{drawn(c, HEX, 32)}-{drawn(c, HEX, 16)}-01",
    "path": lambda c: (
        f"src/{drawn(c, LOWER, 8)}/{drawn(c, LOWER, 6)}_{c.randrange(99)}/test_token_{c.randrange(9)}.py:9"
    ),
    "etag": lambda c: f'ETag: W/"{drawn(c, HEX, 32)}"',
    "numbers": lambda c: (
        f"tokens: {c.randrange(10**6)}, secrets: {c.randrange(9)}, passwords checked: {c.randrange(10**6)}"
    ),
    "usage": lambda c: json.dumps(
        {"input_tokens": c.randrange(10**6), "token_budget": 200000, "key": f"item-{c.randrange(99)}"}
    ),
    "words": lambda c: f"{c.choice(NAMES)}: {' '.join(c.sample(PLAIN, 4))}",
    "words with number": lambda c: (
        f"{c.choice(NAMES)} {c.choice(PLAIN)} {c.randrange(999)} = {' '.join(c.sample(PLAIN, 2))}"
    ),
    "call": lambda c: (
        f"{c.choice(NAMES)} = {c.choice(PLAIN)}_{c.choice(PLAIN)}{c.randrange(9)}({c.choice(PLAIN)})"
    ),
    "attribute": lambda c: f"{c.choice(NAMES)}: {c.choice(PLAIN)}.{c.choice(PLAIN)}{c.randrange(9)},",
    "identifier": lambda c: f"{c.choice(NAMES)} = {c.choice(PLAIN)}-{c.choice(PLAIN)}-{c.randrange(99)}",
    "kept by name": lambda c: (
        f"secret: projects/{c.choice(PLAIN)}-{c.randrange(99)}/secrets/db/versions/{c.randrange(9)}"
    ),
    "css": lambda c: (
        f"--token-color-{c.choice(PLAIN)}: #{drawn(c, HEX, 6)}; mask: url(a{c.randrange(9)}.svg)"
    ),
    "masked": lambda c: (
        f"{c.choice(NAMES)}={drawn(c, ALNUM, 3)}{'*' * c.randrange(8, 30)}{drawn(c, ALNUM, 4)}"
    ),
    "base64 prose": lambda c: encoded(" ".join(c.sample(PLAIN, 12))),
    "hash in hash": lambda c: hashlib.sha512(c.randbytes(8)).hexdigest(),
    "long name": lambda c: "".join(word.title() for word in c.sample(PLAIN, 6)) + "TokenProviderFactory2",
}


def must_pass(seed: int) -> Iterator[Sample]:
    """Every line of the prose and the code, and each kind of harmless text eleven times."""
    chance = random.Random(seed)
    for kind, lines in (("prose", PROSE), ("code", CODE)):
        for line in lines.splitlines():
            yield Sample(kind, line)
    for kind, make in HARMLESS.items():
        for _ in range(11):
            yield Sample(kind, make(chance))
