"""Receives mail with Debian's aiosmtpd. Prints its port, then each mail as a line of JSON, parsed by Python's `email`."""

import asyncio
import email
import email.policy
import json
import logging
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult

logging.disable(logging.WARNING)
given = json.loads(sys.argv[1])
context = None
if "cert" in given:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(given["cert"], given["key"])


class Handler:
    async def handle_DATA(self, server, session, envelope):
        mail = email.message_from_bytes(envelope.content, policy=email.policy.default)
        parts = list(mail.walk())
        received = {
            "from": envelope.mail_from,
            "to": envelope.rcpt_tos,
            "encrypted": session.ssl is not None or given["security"] == "tls",
            "authenticated": session.authenticated,
            "headers": [[name.lower(), str(value)] for name, value in mail.items()],
            "senders": [sender.addr_spec for sender in mail["from"].addresses],
            "parts": [part.get_content_type() for part in parts],
            "text": mail.get_body(["plain"]).get_content(),
            "defects": [str(defect) for part in parts for defect in part.defects],
            "raw": envelope.content.decode("ascii", "backslashreplace"),
        }
        print(json.dumps(received), flush=True)
        return "250 2.0.0 Ok"


def authenticate(server, session, envelope, mechanism, data):
    is_right = (data.login.decode(), data.password.decode()) == (given["user"], given["password"])
    return AuthResult(success=is_right)


def protocol():
    wants_auth = "user" in given
    return SMTP(
        Handler(),
        hostname="mail.example.org",
        tls_context=context if given["security"] == "starttls" else None,
        require_starttls=given["security"] == "starttls",
        auth_required=wants_auth,
        auth_require_tls=False,
        authenticator=authenticate if wants_auth else None,
    )


async def main():
    implicit = context if given["security"] == "tls" else None
    server = await asyncio.get_running_loop().create_server(protocol, "127.0.0.1", 0, ssl=implicit)
    print(json.dumps(server.sockets[0].getsockname()[1]), flush=True)
    await server.serve_forever()


asyncio.run(main())
