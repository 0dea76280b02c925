"""A producer of minutes tasks in Python, after documents 000 and 001 alone: it knows
nothing of what Pressroom adds. It reads meetings as the minutes API writes them, one JSON
object a line, and writes prompt and task of each.

    python3 producer.py 000|001 < meetings.ndjson

AWS_ENDPOINT_URL is the DynamoDB and S3 endpoint; LLM_TASK_TABLE and PROMPT_BUCKET_NAME
name the table and the bucket, if they have other names.
"""

import hashlib
import json
import os
import sys
from datetime import datetime, timezone

import boto3
from botocore.config import Config

contract = sys.argv[1] if len(sys.argv) > 1 else "000"
bucket = os.environ.get("PROMPT_BUCKET_NAME", "politopics-prompts")
boto3.setup_default_session(region_name=os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION") or "us-east-1")
table = boto3.resource("dynamodb").Table(os.environ.get("LLM_TASK_TABLE", "PoliTopics-llm-tasks"))
objects = boto3.client("s3", config=Config(s3={"addressing_style": "path"}))

HOUSES = {"衆議院": "shugi", "参議院": "sangi", "両院": "joint"}


def key(m):
    """000's hash of session, house and issueID, or 001's issueID."""
    if contract == "001":
        return m["issueID"]
    house = HOUSES.get(m["nameOfHouse"], m["nameOfHouse"])
    return hashlib.sha256(f"session={m['session']}|house={house}|issueID={m['issueID']}".encode()).hexdigest()


def put(name, value):
    objects.put_object(Bucket=bucket, Key=name, Body=json.dumps(value, ensure_ascii=False).encode(), ContentType="application/json")
    return f"s3://{bucket}/{name}"


def produce(m):
    meeting = {name: m[name] for name in ("issueID", "nameOfMeeting", "nameOfHouse", "date")}
    meeting["numberOfSpeeches"] = len(m["speechRecord"])
    if contract != "001":
        meeting["session"] = int(m["session"])
    prompt = put(f"prompts/reduce/{m['issueID']}_direct.json", {
        "mode": "direct", "chunkPromptTemplate": "Summarise.", "reducePromptTemplate": "Put it together.", "meeting": meeting,
        "range": {"from": m["date"], "until": m["date"]}, "speeches": m["speechRecord"],
    })
    now = datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    task = {
        "pk": key(m), "status": "pending", "llm": "gemini", "llmModel": "gemini-2.5-pro", "retryAttempts": 0, "createdAt": now, "updatedAt": now,
        "processingMode": "direct" if contract == "001" else "single_chunk", "prompt_url": prompt,
        "result_url": f"s3://{bucket}/results/{m['issueID']}_reduce.json", "meeting": meeting,
    }
    if contract != "001":
        task |= {"prompt_version": "1", "chunks": []}
    table.put_item(Item=task, ConditionExpression="attribute_not_exists(pk)")


made = 0
for line in sys.stdin:
    if line.strip():
        produce(json.loads(line))
        made += 1
print(json.dumps({"made": made}))
