"""A library of posts, written to the letter of the blog's document, and its whole life."""
import sys
from concurrent.futures import ThreadPoolExecutor

import boto3
from newsroom import ask, every, page, sign_in, within

N = int(sys.argv[1])
BLOCKS = 60
table = boto3.resource("dynamodb").Table("blog")
STATES = ["published", "draft", "archived"]


def rows(n):
    state, post = STATES[n % 3], f"POST#lib{n:05}"
    created = f"2024-{n % 12 + 1:02}-{n % 28 + 1:02}T10:{n % 60:02}:00Z"
    card = {"title": f"Library {n:05}", "status": state, "createdAt": created, "summary": f"About {n}", "thumbnail": "https://images.example/t.jpg"}
    yield {"pk": post, "sk": "METADATA", "updatedAt": created, **card}
    yield {"pk": post, "sk": f"STATUS#{state}", **card}
    for i in range(1, BLOCKS + 1):
        if i % 10 == 1:
            yield {"pk": post, "sk": f"BLOCK#{i:05}", "type": "image", "content": f"https://images.example/{n}/{i}.jpg", "layout": "half_left"}
        else:
            yield {"pk": post, "sk": f"BLOCK#{i:05}", "type": "text", "content": f"Paragraph {i} of unique{n:05}word.", "layout": "half_right" if i % 10 == 2 else "full"}
    yield {"pk": post, "sk": f"TAG#group{n % 5}", "tagName": f"group{n % 5}"}
    yield {"pk": post, "sk": "TAG#library", "tagName": "library"}


def write(n):
    with boto3.session.Session().resource("dynamodb").Table("blog").batch_writer() as batch:
        for row in rows(n):
            batch.put_item(row)


sign_in()
with ThreadPoolExecutor(4) as pool:
    list(pool.map(write, range(N)))
published = sorted(f"lib{n:05}" for n in range(N) if n % 3 == 0)
everything = sorted(f"lib{n:05}" for n in range(N))
print(f"{N} posts with {BLOCKS} blocks each are written", flush=True)

# Before anything is added: by id.
opened = ask("GET", "/blog/sources/lib00001")
assert opened[0]["status"] == "draft" and len(opened[0]["blocks"]) == BLOCKS and opened[0]["tags"] == ["group1", "library"], opened

ids = lambda path: sorted(p["id"] for p in every(path) if p["id"].startswith("lib"))
within(max(5, N / 5), "readers' list", lambda: ids("/blog/posts") == published or len(ids("/blog/posts")))
within(max(5, N / 5), "authors' list", lambda: ids("/blog/sources") == everything or len(ids("/blog/sources")))
within(max(5, N / 5), "list by tag", lambda: ids("/blog/posts?tag=group0") == [p for p in published if int(p[3:]) % 5 == 0] or False)
count = {t["name"]: t["count"] for t in every("/blog/tags")}
assert count["library"] == len(published), count
assert sum(m["count"] for m in every("/blog/months")) >= len(published)

# Every page, for readers and for others.
for n in range(N):
    id = f"lib{n:05}"
    if id not in published:
        ask("GET", f"/blog/posts/{id}", want=(404,))
        page(f"/blog/posts/{id}", 404)
        continue
    article, _ = ask("GET", f"/blog/posts/{id}")
    text = page(f"/blog/posts/{id}")
    for words in (f"Library {n:05}", f"Paragraph {BLOCKS} of unique{n:05}word"):
        assert words in str(article["rows"]) + article["title"] and words in text, (id, words)
for list_page in ("/blog", "/blog/tags", "/blog/tags/library", "/blog/archive", "/blog/feed.atom", "/blog/feed.json", "/office/blog", "/office/blog?status=draft"):
    page(list_page)

# Every published post is found by a word of its text, and no other post is.
finds = lambda n: [hit["id"] for hit in ask("GET", f"/search?q=unique{n:05}word")[0]["items"] if hit["desk"] == "blog"]
for n in range(N):
    wanted = [f"lib{n:05}"] if n % 3 == 0 else []
    within(30, f"search for {n}", lambda: finds(n) == wanted or finds(n))

# Every post is edited, one with the tag that was read before anybody added
# anything; every draft is published, every archived post deleted.
for n in range(N):
    id = f"lib{n:05}"
    post, tag = opened if n == 1 else ask("GET", f"/blog/sources/{id}")
    post["title"] = f"Edited {n:05}"
    keep = {k: post[k] for k in ("title", "summary", "thumbnail", "tags", "blocks") if k in post}
    edited, _ = ask("PUT", f"/blog/posts/{id}", keep, tag)
    assert edited["title"] == f"Edited {n:05}" and len(edited["blocks"]) == BLOCKS, edited
    if n == 1:
        ask("PUT", f"/blog/posts/{id}", keep, tag, want=(412,))
    _, tag = ask("GET", f"/blog/sources/{id}")
    if n % 3 == 1:
        ask("PUT", f"/blog/posts/{id}/status", {"status": "published"}, tag)
    if n % 3 == 2:
        ask("DELETE", f"/blog/posts/{id}", None, tag)
now = [id for id in everything if int(id[3:]) % 3 != 2]
within(5, "readers' list after publishing", lambda: ids("/blog/posts") == now or len(ids("/blog/posts")))
within(5, "authors' list after deleting", lambda: ids("/blog/sources") == now or len(ids("/blog/sources")))
assert {t["name"]: t["count"] for t in every("/blog/tags")}["library"] == len(now)
for n in range(N):
    page(f"/blog/posts/lib{n:05}", 404 if n % 3 == 2 else 200)
    if n % 3 == 1:
        within(30, f"search for {n} after publishing", lambda: finds(n) == [f"lib{n:05}"] or finds(n))

# What the newsroom wrote, read as the document reads it.
items = table.query(KeyConditionExpression=boto3.dynamodb.conditions.Key("pk").eq("POST#lib00001"))["Items"]
kinds = [i["sk"].split("#")[0] for i in items]
assert kinds.count("BLOCK") == BLOCKS and kinds.count("METADATA") == 1 and kinds.count("STATUS") == 1 and kinds.count("TAG") == 2, kinds
index = lambda key: table.query(IndexName="GSI1", KeyConditionExpression=boto3.dynamodb.conditions.Key("GSI1_PK").eq(key))["Items"]
assert any(i["pk"] == "POST#lib00001" and i["title"] == "Edited 00001" for i in index("STATUS#published"))
assert all({"title", "status", "createdAt", "summary"} <= set(i) for i in index("TAG#group1"))

# All of it goes.
for id in now:
    _, tag = ask("GET", f"/blog/sources/{id}")
    ask("DELETE", f"/blog/posts/{id}", None, tag)
assert ids("/blog/posts") == ids("/blog/sources") == []
for n in range(N):
    assert not table.query(KeyConditionExpression=boto3.dynamodb.conditions.Key("pk").eq(f"POST#lib{n:05}"))["Items"], n
assert "library" not in {t["name"] for t in every("/blog/tags")}
print("the blog's library lived")
