"""Reads letters as a mail program and a mail server that others wrote do.

    letters.py DIRECTORY

The directory has letters as they crossed the network, each as NAME.eml, and beside it
NAME.json what it must say. Each is parsed by Python's email package, and its signature
verified by dkimpy, to which the key is served in place of DNS. Then the letter is changed
as relays change letters, which must do no harm, and as forgers do, which must be noticed.
"""
import email
import email.policy
import json
import pathlib
import re
import sys

import dkim

failures = []


def check(name, what, holds):
    if not holds:
        failures.append(f"{name}: {what}")


def verified(raw, want):
    asked = []

    def dns(name, timeout=5):
        asked.append(name)
        return want["key"].encode()

    try:
        ok = dkim.DKIM(raw, minkey=1024).verify(dnsfunc=dns)
    except dkim.DKIMException:
        ok = False
    return ok and asked == [f"{want['selector']}._domainkey.{want['domain']}.".encode()]


def refold(raw):
    """The headers' lines are broken elsewhere and padded, as relays do."""
    head, body = raw.split(b"\r\n\r\n", 1)
    head = re.sub(rb"\r\n[ \t]+", b" ", head)
    head = re.sub(rb"(?m)^([A-Za-z-]+): ", rb"\1:   ", head)
    return b"Received: from relay.example\r\n" + head + b"\r\n\r\n" + body + b"\r\n\r\n"


def look(path):
    name, raw = path.stem, path.read_bytes()
    want = json.loads(path.with_suffix(".json").read_text("utf-8"))
    letter = email.message_from_bytes(raw, policy=email.policy.default)
    check(name, f"has defects {letter.defects}", not letter.defects)
    check(name, f"the subject is {letter['subject']!r}", letter["subject"] == want["subject"])
    check(name, f"it is from {letter['from']}", letter["from"].addresses[0].display_name == want["from"])
    check(name, f"it is to {letter['to']}", [a.addr_spec for a in letter["to"].addresses] == [want["to"]])
    check(name, f"one leaves by {letter['list-unsubscribe']}", letter["list-unsubscribe"] == (f"<{want['leave']}>" if want["leave"] else None))
    check(name, "the way to leave is not one click", letter["list-unsubscribe-post"] == ("List-Unsubscribe=One-Click" if want["leave"] else None))
    for kind in ("plain", "html"):
        part = letter.get_body(preferencelist=(kind,))
        text = part.get_content().replace("\r\n", "\n").rstrip("\n") if part else ""
        check(name, f"the {kind} part is {text!r}", text == want[kind].rstrip("\n"))
    long = [line for line in raw.split(b"\r\n") if len(line) > 998]
    check(name, f"a line has {max(map(len, long), default=0)} bytes", not long)
    if not want["domain"]:
        check(name, "it is signed", not letter["dkim-signature"])
        return
    check(name, "the signature is wrong", verified(raw, want))
    check(name, "the signature breaks when lines are folded elsewhere", verified(refold(raw), want))
    head, body = raw.split(b"\r\n\r\n", 1)
    forged = {
        "another subject": re.sub(rb"(?m)^Subject: ", b"Subject: Not ", raw, count=1),
        "another sender": re.sub(rb"(?m)^From: .*\r\n", b"From: <eve@example.net>\r\n", raw, count=1),
        "a second sender": b"From: <eve@example.net>\r\n" + raw,
        "another way to leave": b"List-Unsubscribe: <https://evil.example/>\r\n" + raw,
        "another text": head + b"\r\n\r\n" + body.replace(b"a", b"b", 1),
        "more text": raw + b"and more\r\n",
        "another key": None,
    }
    for what, text in forged.items():
        if text is None:
            other = dict(want, key=want["other"])
            check(name, f"{what} does not break the signature", not verified(raw, other))
            continue
        check(name, f"{what} was not made", text != raw)
        check(name, f"{what} does not break the signature", not verified(text, want))


letters = sorted(pathlib.Path(sys.argv[1]).glob("*.eml"))
for letter in letters:
    look(letter)
print("\n".join(failures))
print(f"{len(letters)} letters, {len(failures)} failures")
sys.exit(1 if failures or not letters else 0)
