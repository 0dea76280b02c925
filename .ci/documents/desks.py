"""Items of the newswire and the lexicon, written to the letter of their documents."""
import boto3
from decimal import Decimal
from newsroom import ask, every, sign_in, within

db = boto3.resource("dynamodb")
news, terms = db.Table("summanow"), db.Table("LexiconTable")
sign_in()

news.put_item(Item={"PK": "SITE#harbour", "SK": "METADATA", "siteId": "harbour", "name": "Harbour News", "category": "news", "baseUrl": "https://harbour.example/",
    "crawlWindows": [{"start": "06:30", "end": "07:15"}], "allowedPaths": ["/"], "requestIntervalMs": 1000, "timezone": "Asia/Tokyo",
    "createdAt": "2026-11-01T00:00:00Z", "updatedAt": "2026-11-01T00:00:00Z", "GSI1PK": "CATEGORY#news", "GSI1SK": "Harbour News"})
body = "The harbour of the city is closed for a week because of repairs to its gates. " * 8
for n in range(20):
    at, id = f"2026-11-{n + 1:02}T09:00:00Z", f"harbour-{n:02}"
    news.put_item(Item={"PK": "SITE#harbour", "SK": f"ARTICLE#{at}#{id}", "articleId": id, "siteId": "harbour", "title": f"Harbour closed {n}", "url": f"https://harbour.example/{n}",
        "canonicalHash": f"{n:064}", "publishedAt": at, "fetchedAt": at, "bodyPlain": body + str(n), "wordCount": 120, "topics": ["harbour"], "status": "pending_summary",
        "GSI2PK": f"ARTICLE#{id}", "GSI2SK": "METADATA", "GSI3PK": "STATUS#pending_summary", "GSI3SK": at})
assert ask("GET", "/newswire/articles/harbour-00")[0]["title"] == "Harbour closed 0"
count = lambda path: len([a for a in every(path) if a["articleId"].startswith("harbour-")])
within(10, "the feed", lambda: count("/newswire/articles") == 20 or count("/newswire/articles"))
within(10, "the topic", lambda: count("/newswire/articles?topic=harbour") == 20 or count("/newswire/articles?topic=harbour"))
site, tag = ask("GET", "/newswire/sites/harbour")
site["name"] = "The Harbour"
ask("PUT", "/newswire/sites/harbour", {k: site[k] for k in ("name", "category", "baseUrl", "crawlWindows", "allowedPaths", "requestIntervalMs", "timezone") if k in site}, tag)

terms.put_item(Item={"PK": "TERM#no_cap", "SK": "METADATA#lexicon", "term": "no cap", "gloss": "for real", "variants": ["nocap"], "examples": ["No cap."], "tags": ["truth"],
    "regions": ["US"], "sources": {"reddit": 12}, "first_attested": "2017", "attestation_note": "", "is_quiz_eligible": True, "quiz_difficulty": "beginner",
    "quiz_category": "approval", "quiz_score": Decimal("0.9"), "confidence": Decimal("0.9"), "momentum": Decimal("0.9"), "last_updated": "2026-11-01T00:00:00Z", "source": "SOURCE#lexicon"})
assert ask("GET", "/lexicon/terms/no_cap")[0]["term"] == "no cap"
within(10, "a term by its variant", lambda: [t["slug"] for t in ask("GET", "/lexicon/terms?q=nocap")[0]["items"]] == ["no_cap"])
within(10, "a term by its tag", lambda: "no_cap" in [t["slug"] for t in every("/lexicon/terms?tag=truth")] or False)
term, tag = ask("GET", "/lexicon/terms/no_cap")
ask("PUT", "/lexicon/terms/no_cap", {"term": "no cap", "gloss": "truly", "confidence": 0.9, "momentum": 0.9, "variants": ["nocap"]}, tag)
_, tag = ask("GET", "/lexicon/terms/no_cap")
ask("DELETE", "/lexicon/terms/no_cap", None, tag)
ask("GET", "/lexicon/terms/no_cap", want=(404,))
print("the newswire's and the lexicon's items live")
