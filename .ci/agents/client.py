"""An agent on the Python SDK: client.py URL ANSWERS."""
import asyncio
import hashlib
import json
import sys

from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client


async def main(url, wanted):
    answers = wrong = 0
    async with streamable_http_client(url + "/mcp") as streams:
        async with ClientSession(*streams[:2]) as session:
            await session.initialize()
            tools = [t.name for t in (await session.list_tools()).tools]

            async def call(name, **arguments):
                nonlocal answers
                result = await session.call_tool(name, arguments)
                assert not result.is_error, (name, arguments, result.content)
                answers += 1
                return json.loads(result.content[0].text)

            cursor = ""
            while answers < wanted:
                page = await call("search", q="", limit=50, cursor=cursor)
                for hit in page["items"]:
                    full = await call("read_story", desk=hit["desk"], id=hit["story"])
                    for p in full["passages"]:
                        c = p["citation"]
                        again = await call("read_passage", desk=c["desk"], id=c["story"], passage=c["passage"])
                        if again["text"] != p["text"] or hashlib.sha256(p["text"].encode()).hexdigest() != c["sha256"]:
                            wrong += 1
                    if answers >= wanted:
                        break
                cursor = page["next_cursor"] or ""
                if not cursor:
                    break
    print(f"python: {answers} answers, {len(tools)} tools, {wrong} citations do not resolve")
    return 1 if wrong else 0


sys.exit(asyncio.run(main(sys.argv[1], int(sys.argv[2]))))
