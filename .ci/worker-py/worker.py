"""A consumer of Pressroom's minutes tasks in Python, after docs/worker-contract.md. It
works until the queue is empty, then ends.

AWS_ENDPOINT_URL   the DynamoDB and S3 endpoint, such as http://127.0.0.1:4566
LLM_BASE_URL       a server that speaks OpenAI's protocol
LLM_MODEL          the model; LLM_API_KEY its key, if it wants one
LLM_TASK_TABLE     the table of tasks, if it has another name
WORKER_NAME        the name in leases, if it is to be known
"""

import hashlib
import json
import os
import sys
import threading
import urllib.request
import uuid
from datetime import datetime, timedelta, timezone

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

OWNER = os.environ.get("WORKER_NAME", f"worker-py-{uuid.uuid4()}")
LEASE = timedelta(minutes=5)
boto3.setup_default_session(region_name=os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION") or "us-east-1")
table = boto3.resource("dynamodb").Table(os.environ.get("LLM_TASK_TABLE", "PoliTopics-llm-tasks"))
objects = boto3.client("s3", config=Config(s3={"addressing_style": "path"}))


def iso(later=timedelta()):
    """A time of fixed width, in UTC, which sorts as text."""
    return (datetime.now(timezone.utc) + later).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def split(url):
    bucket, key = url.removeprefix("s3://").split("/", 1)
    return {"Bucket": bucket, "Key": key}


def read(url):
    return objects.get_object(**split(url))["Body"].read()


def write(url, value):
    objects.put_object(**split(url), Body=json.dumps(value, ensure_ascii=False).encode(), ContentType="application/json")


def next_pending(limit):
    return table.query(
        IndexName="StatusIndex", Limit=limit, ScanIndexForward=True, KeyConditionExpression="#s = :pending",
        ExpressionAttributeNames={"#s": "status"}, ExpressionAttributeValues={":pending": "pending"},
    )["Items"]


def update(task, expression, condition, values):
    """Changes a task if the condition holds; False if it does not."""
    try:
        table.update_item(
            Key={"pk": task["pk"]}, UpdateExpression=expression, ConditionExpression=condition,
            ExpressionAttributeNames={"#s": "status"}, ExpressionAttributeValues={":pending": "pending", ":now": iso(), **values},
        )
        return True
    except ClientError as error:
        if error.response["Error"]["Code"] == "ConditionalCheckFailedException":
            return False
        raise


def claim(task):
    """Takes the task for a while, so that no other consumer works on it."""
    return update(
        task, "SET leaseOwner = :owner, leaseUntil = :until, updatedAt = :now",
        "#s = :pending AND (attribute_not_exists(leaseUntil) OR leaseUntil <= :now) AND (attribute_not_exists(nextAttemptAt) OR nextAttemptAt <= :now)",
        {":owner": OWNER, ":until": iso(LEASE)},
    )


class Lost(Exception):
    """The task is another worker's by now."""


class Held:
    """Extends the lease of a task as long as it is worked on."""

    def __init__(self, task):
        self.task, self.ended, self.lost = task, threading.Event(), False

    def __enter__(self):
        self.thread = threading.Thread(target=self.extend, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()

    def extend(self):
        while not self.ended.wait(LEASE.total_seconds() / 3):
            if not update(self.task, "SET leaseUntil = :until, updatedAt = :now", "#s = :pending AND leaseOwner = :owner", {":owner": OWNER, ":until": iso(LEASE)}):
                self.lost = True

    def still(self):
        if self.lost:
            raise Lost(self.task["pk"])


def mark_chunk_ready(task, i):
    return update(
        task, f"SET chunks[{i}].#s = :ready, updatedAt = :now", f"#s = :pending AND chunks[{i}].id = :id",
        {":ready": "ready", ":id": task["chunks"][i]["id"]},
    )


def mark_task_succeeded(task):
    return update(
        task, "SET #s = :completed, updatedAt = :now REMOVE leaseOwner, leaseUntil, nextAttemptAt, lastError", "#s IN (:pending, :completed)",
        {":completed": "completed"},
    )


def give_back(task, error):
    """Ends a failed attempt: the task waits, and after five attempts it is for an operator to look at."""
    attempts = int(task.get("retryAttempts", 0)) + 1
    return update(
        task,
        "SET #s = :status, retryAttempts = :attempts, nextAttemptAt = :next, lastError = :error, updatedAt = :now REMOVE leaseOwner, leaseUntil",
        "#s = :pending AND leaseOwner = :owner",
        {":status": "pending" if attempts < 5 else "failed", ":attempts": attempts, ":owner": OWNER,
         ":next": iso(timedelta(seconds=30 * 2 ** (attempts - 1))), ":error": str(error)[:1000]},
    )


def ask(payload, passages, prompt_sum):
    """Sends a payload's instructions and its passages, one JSON object a line, and returns the model's JSON."""
    source = "\n".join(json.dumps({"order": p["speechOrder"], "speaker": p["speaker"], "text": p["speech"]}, ensure_ascii=False) for p in passages)
    body = {
        "model": os.environ["LLM_MODEL"],
        "messages": [{"role": "system", "content": payload["prompt"]}, {"role": "user", "content": f"{payload['message']}\n\nPassages:\n{source}"}],
        "response_format": {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": payload["schema"]}},
    }
    headers = {"content-type": "application/json"}
    if os.environ.get("LLM_API_KEY"):
        headers["authorization"] = f"Bearer {os.environ['LLM_API_KEY']}"
    request = urllib.request.Request(f"{os.environ['LLM_BASE_URL']}/chat/completions", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=180) as response:
        answer = json.loads(json.load(response)["choices"][0]["message"]["content"])
    answer["generated_by"] = {
        "provider": "worker-py", "model": os.environ["LLM_MODEL"], "prompt_version": payload.get("prompt_version", ""), "calls": 1, "prompt_sha256": prompt_sum,
    }
    return answer


def answered(url, prompt_sum):
    """Whether a result is stored for these very bytes: whoever asked has paid for it, and may have died before it could say so."""
    try:
        return json.loads(read(url)).get("generated_by", {}).get("prompt_sha256") == prompt_sum
    except ClientError as error:
        if error.response["Error"]["Code"] in ("NoSuchKey", "404"):
            return False
        raise
    except ValueError:
        return False


def answer(payload, passages, url, prompt_sum):
    """Sees to it that the result of a prompt is stored."""
    if not answered(url, prompt_sum):
        write(url, ask(payload, passages, prompt_sum))


def speeches(payload):
    return [*payload.get("context_before", []), *payload.get("speeches", []), *payload.get("context_after", [])]


def consume(task, still):
    if task["processingMode"] == "chunked":
        for i, chunk in enumerate(task["chunks"]):
            if chunk["status"] == "ready":
                continue  # a restart goes on here
            still()
            prompt = read(chunk["prompt_url"])
            payload = json.loads(prompt)
            answer(payload, speeches(payload), chunk["result_url"], hashlib.sha256(prompt).hexdigest())
            mark_chunk_ready(task, i)
    still()
    prompt = read(task["prompt_url"])
    payload = json.loads(prompt)
    passages, everything = speeches(payload), prompt
    if payload.get("mode") == "chunked":
        stored = [read(url) for url in payload["chunkResultUrls"]]
        everything = b"".join([prompt, *stored])
        passages = [
            {"speechOrder": m["based_on_orders"][0], "speaker": "", "speech": m["summary"]}
            for result in map(json.loads, stored) for m in result["middle_summary"]
        ]
    answer(payload, passages, task["result_url"], hashlib.sha256(everything).hexdigest())
    mark_task_succeeded(task)


def main():
    done = 0
    while True:
        worked = False
        for task in next_pending(10):
            if not claim(task):
                continue
            worked = True
            try:
                with Held(task) as held:
                    consume(task, held.still)
                done += 1
            except Exception as error:  # whatever it was, the task is given back with it
                print(f"{task['meeting']['issueID']}: {error}", file=sys.stderr)
                give_back(task, error)
        if not worked:
            break
    print(json.dumps({"done": done}))


main()
