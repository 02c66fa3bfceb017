r"""The rules: one row per kind of secret, from the forms that providers document or issue today.

A row's `trigger` occurs, without any boundary, wherever its `pattern` matches: all triggers are looked for in
one pass, and most texts hold none. A pattern's group, where it has one, is the value that `judge` must find
plausible. Forward repetition is bounded, or of characters that the match consumes, so that looking for all
matches stays linear. A `general` row knows a secret only by what stands around it, and is not told where a
more exact row has told the same value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ophiuchus.secrets.plausible import (
    is_body,
    is_discord_token,
    is_mixed_body,
    is_password,
    is_password_in_url,
    is_random_body,
    is_random_value,
    is_signed_token,
    is_token,
    is_user_and_password,
)


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of secret."""

    name: str
    trigger: str
    pattern: str
    judge: Callable[[str], bool] = is_body
    general: bool = False


# A token starts where no letter, digit or underscore stands before it (C014); what an escape, a percent code
# or a terminal's colour ends with is no such letter.
_START = r"(?:\b|\\[abfnrtv0]|%[0-9A-Fa-f]{2}|\\x[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\[[0-9;]{1,8}m)"

_QUOTE = r"\\{0,3}[\"'\x60]"
_KEY = (
    r"(?:access|account|admin|auth|deploy|encryption|hmac|license|master|private|secret|service|shared[_-]?access"
    r"|signing|storage|webhook|api|app|application|subscription)[_ -]?key"
)
_OF_PROGRAM = rf"(?:secret|token|{_KEY}|pat|bearer)"
_OF_PERSON = r"(?:passw(?:or)?ds?|passwort|kennwort|passphrase|passcode|pwd|(?:\b|_)p(?:ass|w))"
_ENDING = (
    r"(?:[_-]?(?:value|b64|base64|base|key|prod|production|staging|stage|dev|live|primary|secondary|old|new|current"
    r"|string|[0-9]{1,2}))?"
)
_SEPARATOR = r"(?:\\{0,3}[\"'\x60])?\]?(?:(?:\s|\\n){1,24}value[\"']?)?\s{0,8}(?::=|=>|==?|:|>)\s{0,8}"
_IS = _SEPARATOR + r"(?:&?(?:str|string|String|SecretStr)\s?=\s?)?"
_VALUE = rf"(?:[bBfFrRuU@]{{0,2}}{_QUOTE}([^\"'\x60\\\r\n]{{6,256}})|([^\s\"'\x60,;\\<>|&]{{6,256}}))"
# Names that end like a secret's and name something to go on with: pages, requests, forms.
_HARMLESS_NAME = (
    r"(?:page|next|previous|continuation|sync|cursor|csrf|xsrf|cancell?ation|idempotency|pagination|fencing"
    r"|resume|design|public)[_-]?(?:token|key)"
)
# PKCS #8 and #1 of RSA, PKCS #8 of elliptic curves, and OpenSSH's own form.
_KEY_STARTS = (
    r"MII[A-Za-z0-9+/]{2,3}IBA(?:DANBgkqhkiG9w0BAQEFAASC|AKCA|AKBg)"
    r"|MI(?:G|H)[A-Za-z0-9+/]{1,2}gEAMB[A-Z]GByqGSM49AgEG|MC4CAQAwBQYDK2VwBCIEI|b3BlbnNzaC1rZXktdj"
)
_FLAG = r"--(?:[a-z]{1,12}-){0,2}"


def _token(name: str, prefix: str, body: str, judge: Callable[[str], bool] = is_mixed_body) -> Rule:
    """A row for a prefix and what follows it; the first eight characters of the body are in the trigger."""
    kind = body[: body.index("]") + 1]
    return Rule(name, f"(?:{prefix}){kind}{{8}}", f"{_START}(?:{prefix})({body})", judge)


def _hex(name: str, prefix: str, length: int) -> Rule:
    return _token(name, prefix, rf"[0-9a-f]{{{length}}}")


def _named(name: str, names: str, judge: Callable[[str], bool], flags: str) -> tuple[Rule, Rule]:
    """Rows for a value after its name, and after an option of a command line."""
    return (
        Rule(
            name,
            rf"(?i){names}{_ENDING}(?:{_SEPARATOR}|\"\s?[,}}])",
            rf"(?i){_HARMLESS_NAME}{_IS}\S{{0,64}}|{names}{_ENDING}{_IS}{_VALUE}",
            judge,
            general=True,
        ),
        Rule(name, rf"--[a-z-]{{0,26}}{flags}\s", rf"{_FLAG}{flags}\s{{1,4}}{_VALUE}", judge, general=True),
    )


RULES = (
    Rule(
        "private key",
        r"PRIVATE KEY",
        r"-{4,5} ?BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)? ?-{4,5}[ \t]{0,8}"
        r"(?:[\r\n]|\\{1,4}[nr]|<br|[A-Za-z0-9+/]{16}|\z)",
        lambda _: True,
    ),
    # The same without its first line: what the encoded key itself starts with.
    Rule("private key", _KEY_STARTS, rf"{_START}(?:{_KEY_STARTS})", lambda _: True),
    Rule("private key", r"PuTTY-User-Key-File", r"PuTTY-User-Key-File-[0-9]", lambda _: True),
    _token("age key", "AGE-SECRET-KEY-1", r"[0-9A-Z]{50,60}"),
    _token("github token", r"gh[pousr]_", r"[A-Za-z0-9_]{36,255}"),
    # One that was cut, or of an older form.
    _token("github token", r"gh[pousr]_", r"[A-Za-z0-9]{20,35}", is_random_body),
    _token("github token", r"github_pat_", r"[A-Za-z0-9_]{22,255}", is_random_body),
    _token(
        "gitlab token", r"gl(?:pat|ptt|dt|rt|rtr|cbt|soat|agent|imt|ft|oas|ffct)-", r"[A-Za-z0-9_-]{20,255}"
    ),
    _token("gitlab token", r"GR1348941", r"[A-Za-z0-9_-]{20,64}"),
    Rule(
        "aws key id",
        r"A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{8}",
        rf"{_START}(?:AKIA|ASIA|ABIA|ACCA)([A-Z0-9]{{16}})\b",
        lambda value: is_body(value) and not value.endswith("EXAMPLE"),
    ),
    Rule(
        "aws secret key",
        r"(?i)(?:secret[_ -]?access[_ -]?key|aws[_ -]?secret(?:[_ -]?key)?)\W",
        r"(?i)(?:secret[_ -]?access[_ -]?key|aws[_ -]?secret(?:[_ -]?key)?)"
        r"(?:\s|[\"'\\:=>]){1,12}([A-Za-z0-9/+]{40})\b",
        lambda value: is_body(value) and not value.endswith("EXAMPLEKEY"),
    ),
    _token("aws bedrock key", r"ABSK", r"[A-Za-z0-9+/]{100,200}"),
    _token("google key", r"AIza", r"[A-Za-z0-9_-]{35}"),
    _token("google token", r"GOCSPX-", r"[A-Za-z0-9_-]{28}", is_body),
    _token("google token", r"ya29\.", r"[A-Za-z0-9_.-]{20,1000}"),
    _token("google token", r"1//0", r"[A-Za-z0-9_-]{40,255}"),
    _token("slack token", r"xox[abceoprs]-", r"[0-9]{8,15}-[A-Za-z0-9-]{10,240}"),
    _token("slack token", r"xox[abceoprs]-", r"[A-Za-z0-9-]{16,255}", is_random_body),
    _token("slack token", r"xoxd-", r"[A-Za-z0-9%+/_-]{40,500}"),
    _token("slack token", r"xoxe\.xox[bp]-", r"[A-Za-z0-9-]{20,255}"),
    _token("slack token", r"xapp-", r"[A-Za-z0-9-]{30,255}"),
    Rule(
        "slack webhook",
        r"hooks\.slack\.com/",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Z0-9]{6,16}/[A-Z0-9]{6,20}/([A-Za-z0-9/]{16,80})",
        is_mixed_body,
    ),
    Rule(
        "teams webhook",
        r"/IncomingWebhook/",
        r"(?:webhook\.office\.com/webhookb2|outlook\.office(?:365)?\.com/webhook)/[0-9a-f-]{36}@[0-9a-f-]{36}"
        r"/IncomingWebhook/([0-9a-f]{32}/[0-9A-Za-z/_-]{20,120})",
        is_mixed_body,
    ),
    Rule(
        "discord webhook",
        r"/webhooks/[0-9]{8}",
        r"discord(?:app)?\.com/api/(?:v[0-9]{1,2}/)?webhooks/[0-9]{17,20}/([A-Za-z0-9_-]{60,90})",
        is_mixed_body,
    ),
    Rule(
        "discord token",
        r"\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{12}",
        rf"{_START}([MNO][A-Za-z0-9_-]{{22,27}}\.[A-Za-z0-9_-]{{6}}\.[A-Za-z0-9_-]{{27,45}})",
        is_discord_token,
    ),
    _token("atlassian token", r"AT(?:ATT|CTT|ST)3", r"[A-Za-z0-9_=.-]{40,500}"),
    _token("bitbucket token", r"ATBB", r"[A-Za-z0-9]{32}"),
    _token("clickup token", r"pk_[0-9]{5,12}_", r"[A-Z0-9]{32}"),
    _token("anthropic key", r"sk-ant-[a-z]{3,8}[0-9]{2}-", r"[A-Za-z0-9_-]{40,255}"),
    _token("anthropic key", r"sk-ant-", r"[A-Za-z0-9_-]{20,255}", is_random_body),
    _token(
        "openai key",
        r"sk-(?:proj|svcacct|admin|None|or-v1|service)-",
        r"[A-Za-z0-9_-]{20,255}",
        is_random_body,
    ),
    _token("api key", r"sk-", r"[A-Za-z0-9]{20,255}", is_random_body),
    _token("huggingface token", r"hf_", r"[A-Za-z0-9]{34,40}", is_body),
    _token("npm token", r"npm_", r"[A-Za-z0-9]{36}"),
    _token("pypi token", r"pypi-A", r"[A-Za-z0-9_-]{60,500}"),
    _token("docker token", r"dckr_[po]at_", r"[A-Za-z0-9_-]{24,64}", is_body),
    _token("stripe key", r"[sr]k_live_", r"[A-Za-z0-9]{16,247}"),
    _token("stripe webhook secret", r"whsec_", r"[A-Za-z0-9+/]{32,64}"),
    _hex("twilio key", r"SK", 32),
    Rule(
        "sendgrid key",
        r"SG\.[A-Za-z0-9_-]{8}",
        rf"{_START}SG\.([A-Za-z0-9_-]{{16,32}}\.[A-Za-z0-9_-]{{32,64}})",
        is_mixed_body,
    ),
    Rule(
        "telegram token",
        r"[0-9]:AA[A-Za-z0-9_-]{8}",
        rf"(?:{_START}|/bot)[0-9]{{8,10}}:(AA[A-Za-z0-9_-]{{32,34}})",
        is_body,
    ),
    Rule(
        "azure key",
        r"(?i)(?:Account|SharedAccess)Key=",
        r"(?i)(?:Account|SharedAccess)Key=([A-Za-z0-9+/]{40,90})={0,2}",
        is_mixed_body,
    ),
    Rule(
        "azure signature",
        r"sig=[A-Za-z0-9%+/_-]{8}",
        r"(?:[?&]|amp;)sig=([A-Za-z0-9%+/_-]{40,120})",
        is_mixed_body,
    ),
    Rule(
        "azure client secret",
        r"[0-9]Q~[A-Za-z0-9_.~-]{8}",
        r"(?:^|[^A-Za-z0-9_.~-])([A-Za-z0-9_.~-]{3}[0-9]Q~[A-Za-z0-9_.~-]{31,34})",
        is_mixed_body,
    ),
    _hex("digitalocean token", r"do[opr]_v1_", 64),
    _token("linear key", r"lin_(?:api|oauth)_", r"[A-Za-z0-9]{32,64}"),
    _token("notion token", r"ntn_", r"[A-Za-z0-9]{40,50}"),
    _token("notion token", r"secret_", r"[A-Za-z0-9]{43}"),
    _token("vault token", r"hv[sbr]\.", r"[A-Za-z0-9_-]{24,255}", is_random_body),
    _hex("databricks token", r"dapi", 32),
    _token("vercel token", r"vc[paikr]_", r"[A-Za-z0-9]{24,80}", is_random_body),
    _token("netlify token", r"nf[pcobu]_", r"[A-Za-z0-9]{36,40}"),
    _token("fly token", r"fm[12]r?_", r"[A-Za-z0-9+/=_,-]{80,1000}"),
    _token("doppler token", r"dp\.(?:pt|st|ct|sa|scim|audit)\.", r"[A-Za-z0-9_.-]{40,80}"),
    _token("1password token", r"ops_eyJ", r"[A-Za-z0-9+/=_-]{200,1000}"),
    _token("buildkite token", r"bk(?:ua|ct|aj)_", r"[A-Za-z0-9]{40,64}"),
    _token("circleci token", r"CCI(?:PAT|PRJ)_", r"[A-Za-z0-9]{16,32}_[0-9a-f]{40}"),
    _token("dynatrace token", r"dt0[a-z][0-9]{2}\.", r"[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    _token("artifactory key", r"AKCp", r"[A-Za-z0-9]{60,80}"),
    _token("nuget key", r"oy2", r"[a-z0-9]{43}"),
    _token("tavily key", r"tvly-(?:dev-|prod-)?", r"[A-Za-z0-9]{24,64}", is_random_body),
    _token("langsmith key", r"lsv2_(?:pt|sk)_", r"[0-9a-f]{32}_[0-9a-f]{10}"),
    _token("cursor key", r"(?:crsr|key)_", r"[0-9a-f]{64}"),
    _token("supabase key", r"sb_secret_", r"[A-Za-z0-9_-]{20,64}"),
    _token("resend key", r"re_", r"[A-Za-z0-9]{8}_[A-Za-z0-9]{24}"),
    _token("posthog key", r"phx_", r"[A-Za-z0-9]{40,60}"),
    _hex("shopify token", r"shp(?:at|ss|pa|ca|tka)_", 32),
    _token("square token", r"sq0(?:atp|csp)-", r"[A-Za-z0-9_-]{22,43}"),
    _token("grafana token", r"gl(?:sa|c)_", r"[A-Za-z0-9+/_]{32,255}"),
    _token("sentry token", r"sntry[su]_", r"[A-Za-z0-9+/=_-]{40,255}"),
    _token("figma token", r"figd_", r"[A-Za-z0-9_-]{38,60}"),
    _token("groq key", r"gsk_", r"[A-Za-z0-9]{48,60}"),
    _token("xai key", r"xai-", r"[A-Za-z0-9]{70,90}"),
    _token("perplexity key", r"pplx-", r"[A-Za-z0-9]{40,60}"),
    _token("replicate token", r"r8_", r"[A-Za-z0-9]{37}"),
    _hex("supabase token", r"sbp_", 40),
    _token("planetscale token", r"pscale_(?:tkn|pw|oauth)_", r"[A-Za-z0-9_.-]{32,64}"),
    _hex("rubygems key", r"rubygems_", 48),
    _token("crates.io token", r"cio", r"[A-Za-z0-9]{32}"),
    _hex("pulumi token", r"pul-", 40),
    _token("postman key", r"PMAK-", r"[0-9a-f]{24}-[0-9a-f]{34}"),
    _token("new relic key", r"NRAK-", r"[A-Z0-9]{27}"),
    _hex("mailgun key", r"key-", 32),
    Rule(
        "airtable token",
        r"pat[A-Za-z0-9]{14}\.",
        rf"{_START}pat[A-Za-z0-9]{{14}}\.([0-9a-f]{{64}})",
        is_mixed_body,
    ),
    Rule(
        "terraform token",
        r"\.atlasv1\.",
        rf"{_START}[A-Za-z0-9]{{14}}\.atlasv1\.([A-Za-z0-9_-]{{60,80}})",
        is_mixed_body,
    ),
    Rule(
        "json web token",
        r"eyJ[A-Za-z0-9_-]{8}",
        rf"{_START}(eyJ[A-Za-z0-9_-]{{8,}}\.[A-Za-z0-9_-]{{3,}}\.[A-Za-z0-9_-]{{16,}})",
        is_signed_token,
    ),
    Rule(
        "password in url",
        r"://[^\s/@]*:[^\s/]+@",
        r"[A-Za-z][A-Za-z0-9+.-]{1,24}://[^\s/:@\"'\x60<>]{0,128}:([^\s/\"'\x60<>]{1,256})@[A-Za-z0-9\[$]",
        is_password_in_url,
        general=True,
    ),
    Rule(
        "authorization",
        r"(?i)(?:bearer|apikey|ssws)\s",
        r"(?i)\b(?:bearer|apikey|ssws)\s{1,4}([^\s\"'\x60,;\\<>]{12,1000})",
        is_token,
        general=True,
    ),
    Rule(
        "authorization",
        r"(?i)authorization",
        rf"(?i)authorization(?:{_QUOTE})?\s{{0,4}}[:=,]\s{{0,4}}(?:{_QUOTE})?(?:token\s{{1,4}})?([^\s\"'\x60,;\\<>]{{12,1000}})",
        is_token,
        general=True,
    ),
    Rule(
        "basic authorization",
        r"(?i)basic\s{1,4}[A-Za-z0-9+/]{8}|[\"_]auth\\?\"?\s{0,4}[:=]",
        r"(?i)(?:\bbasic\s{1,4}|[\"_]auth\\?\"?\s{0,4}[:=]\s{0,4}\\?\"?)([A-Za-z0-9+/]{8,500}={0,2})",
        is_user_and_password,
        general=True,
    ),
    Rule(
        "password of a command",
        r"(?:-u|--user)[ =]|(?:login|sshpass|mysql|mysqldump|mysqladmin|redis-cli)\s",
        r"(?:^|\s)(?:-u|--user)[ =][\"']?[A-Za-z0-9_.@-]{1,64}:([^\s\"'\x60<>|]{6,128})"
        r"|login\s{1,4}\S{1,128}\s{1,4}password\s{1,4}(\S{6,128})"
        r"|sshpass\s{1,4}-p\s{0,4}[\"']?([^\s\"'\x60<>|]{6,128})"
        r"|\blogin\s[^\n]{0,120}?\s-p\s{1,4}[\"']?([^\s\"'\x60<>|]{6,128})"
        r"|\bmysql(?:dump|admin)?(?:\s[^\n]{0,120}?)?\s-p([^\s\"'\x60<>|]{6,128})"
        r"|redis-cli(?:\s[^\n]{0,120}?)?\s(?:-a|--pass)\s{1,4}[\"']?([^\s\"'\x60<>|]{6,128})",
        is_password,
        general=True,
    ),
    Rule(
        "named secret",
        rf"(?i)(?:{_OF_PERSON}|secret|token|{_KEY})\s{{1,2}}(?:(?:is|was)\s|{_QUOTE})",
        rf"(?i)(?:{_OF_PERSON}|secret|token|{_KEY})\s{{1,2}}"
        rf"(?:(?:is|was)\s{{1,4}}{_VALUE}|{_QUOTE}([^\"'\x60\\\r\n]{{8,256}}))",
        is_random_value,
        general=True,
    ),
    *_named("password", _OF_PERSON, is_password, r"(?:password|passphrase|pass)"),
    *_named("named secret", _OF_PROGRAM, is_token, r"(?:token|secret|api-key|access-key|key|auth)"),
)
"""All rows; several may share a name. Results keep this order."""
