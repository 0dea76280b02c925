// A consumer of Pressroom's minutes tasks in JavaScript, after
// docs/worker-contract.md. It works until the queue is empty, then ends.
//
//   AWS_ENDPOINT_URL   the DynamoDB and S3 endpoint, such as http://127.0.0.1:4566
//   LLM_BASE_URL       a server that speaks OpenAI's protocol, such as
//                      http://localhost:11434/v1
//   LLM_MODEL          the model; LLM_API_KEY its key, if it wants one
//   LLM_TASK_TABLE     the table of tasks, if it has another name
//   WORKER_NAME        the name in leases, if it is to be known
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { GetObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { createHash, randomUUID } from "node:crypto";

const table = process.env.LLM_TASK_TABLE ?? "PoliTopics-llm-tasks";
const owner = process.env.WORKER_NAME ?? `worker-js-${randomUUID()}`;
const leaseMillis = 5 * 60 * 1000;

const tables = DynamoDBDocumentClient.from(new DynamoDBClient({}));
const objects = new S3Client({ forcePathStyle: true });

const now = () => new Date().toISOString(); // fixed width, UTC, sorts as text

function split(url) {
  const [, bucket, key] = /^s3:\/\/([^/]+)\/(.+)$/.exec(url);
  return { Bucket: bucket, Key: key };
}

async function read(url) {
  const object = await objects.send(new GetObjectCommand(split(url)));
  return Buffer.from(await object.Body.transformToByteArray());
}

const sha256 = (...parts) => parts.reduce((h, part) => h.update(part), createHash("sha256")).digest("hex");

// answered is the result that is stored already for these very bytes: whoever asked has
// paid for it, and may have died before it could say so.
async function answered(url, sum) {
  try {
    const result = JSON.parse(await read(url));
    return result.generated_by?.prompt_sha256 === sum ? result : undefined;
  } catch (error) {
    if (error.name === "NoSuchKey" || error.name === "NotFound" || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

async function write(url, value) {
  await objects.send(new PutObjectCommand({ ...split(url), Body: JSON.stringify(value), ContentType: "application/json" }));
}

async function nextPending(limit) {
  const page = await tables.send(new QueryCommand({
    TableName: table, IndexName: "StatusIndex", Limit: limit, ScanIndexForward: true,
    KeyConditionExpression: "#s = :pending", ExpressionAttributeNames: { "#s": "status" }, ExpressionAttributeValues: { ":pending": "pending" },
  }));
  return page.Items ?? [];
}

// update changes a task if the condition holds; false if it does not.
async function update(task, expression, condition, values) {
  try {
    await tables.send(new UpdateCommand({
      TableName: table, Key: { pk: task.pk }, UpdateExpression: expression, ConditionExpression: condition,
      ExpressionAttributeNames: { "#s": "status" }, ExpressionAttributeValues: { ":pending": "pending", ":now": now(), ...values },
    }));
    return true;
  } catch (error) {
    if (error.name === "ConditionalCheckFailedException") return false;
    throw error;
  }
}

// claim takes the task for a while, so that no other consumer works on it.
const claim = (task) => update(task,
  "SET leaseOwner = :owner, leaseUntil = :until, updatedAt = :now",
  "#s = :pending AND (attribute_not_exists(leaseUntil) OR leaseUntil <= :now) AND (attribute_not_exists(nextAttemptAt) OR nextAttemptAt <= :now)",
  { ":owner": owner, ":until": new Date(Date.now() + leaseMillis).toISOString() });

// holding extends the lease while something is done, and fails if the task is another's
// by then.
async function holding(task, work) {
  let lost = false;
  const timer = setInterval(async () => {
    const kept = await update(task, "SET leaseUntil = :until, updatedAt = :now", "#s = :pending AND leaseOwner = :owner",
      { ":owner": owner, ":until": new Date(Date.now() + leaseMillis).toISOString() }).catch(() => true);
    lost ||= !kept;
  }, leaseMillis / 3);
  try {
    return await work(() => { if (lost) throw new Error("the task is another worker's by now"); });
  } finally {
    clearInterval(timer);
  }
}

const markChunkReady = (task, i) => update(task,
  `SET chunks[${i}].#s = :ready, updatedAt = :now`, `#s = :pending AND chunks[${i}].id = :id`,
  { ":ready": "ready", ":id": task.chunks[i].id });

const markTaskSucceeded = (task) => update(task,
  "SET #s = :completed, updatedAt = :now REMOVE leaseOwner, leaseUntil, nextAttemptAt, lastError", "#s IN (:pending, :completed)",
  { ":completed": "completed" });

// giveBack ends a failed attempt: the task waits, and after five attempts it is for
// an operator to look at.
const giveBack = (task, error) => update(task,
  "SET #s = :status, retryAttempts = :attempts, nextAttemptAt = :next, lastError = :error, updatedAt = :now REMOVE leaseOwner, leaseUntil",
  "#s = :pending AND leaseOwner = :owner",
  {
    ":status": task.retryAttempts + 1 < 5 ? "pending" : "failed", ":attempts": task.retryAttempts + 1, ":owner": owner,
    ":next": new Date(Date.now() + 30_000 * 2 ** task.retryAttempts).toISOString(), ":error": String(error).slice(0, 1000),
  });

// ask sends a payload's instructions and its passages, one JSON object a line, and
// returns the model's JSON.
async function ask(payload, passages, sum) {
  const source = passages.map((p) => JSON.stringify({ order: p.speechOrder, speaker: p.speaker, text: p.speech })).join("\n");
  const response = await fetch(`${process.env.LLM_BASE_URL}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(process.env.LLM_API_KEY && { authorization: `Bearer ${process.env.LLM_API_KEY}` }) },
    body: JSON.stringify({
      model: process.env.LLM_MODEL,
      messages: [{ role: "system", content: payload.prompt }, { role: "user", content: `${payload.message}\n\nPassages:\n${source}` }],
      response_format: { type: "json_schema", json_schema: { name: "answer", strict: true, schema: payload.schema } },
    }),
    signal: AbortSignal.timeout(180_000),
  });
  if (!response.ok) throw new Error(`the model answered ${response.status}: ${await response.text()}`);
  const answer = JSON.parse((await response.json()).choices[0].message.content);
  return { ...answer, generated_by: { provider: "worker-js", model: process.env.LLM_MODEL, prompt_version: payload.prompt_version, calls: 1, prompt_sha256: sum } };
}

const speeches = (payload) => [...(payload.context_before ?? []), ...(payload.speeches ?? []), ...(payload.context_after ?? [])];

// answer sees to it that the result of a prompt is stored.
async function answer(payload, passages, url, sum) {
  if (!(await answered(url, sum))) await write(url, await ask(payload, passages, sum));
}

async function consume(task, still) {
  if (task.processingMode === "chunked") {
    for (const [i, chunk] of task.chunks.entries()) {
      if (chunk.status === "ready") continue; // a restart goes on here
      still();
      const prompt = await read(chunk.prompt_url);
      const payload = JSON.parse(prompt);
      await answer(payload, speeches(payload), chunk.result_url, sha256(prompt));
      await markChunkReady(task, i);
    }
  }
  still();
  const prompt = await read(task.prompt_url);
  const payload = JSON.parse(prompt);
  let passages = speeches(payload);
  let sum = sha256(prompt);
  if (payload.mode === "chunked") {
    const stored = await Promise.all(payload.chunkResultUrls.map(read));
    sum = sha256(prompt, ...stored);
    passages = stored.map((r) => JSON.parse(r))
      .flatMap((r) => r.middle_summary.map((m) => ({ speechOrder: m.based_on_orders[0], speaker: "", speech: m.summary })));
  }
  await answer(payload, passages, task.result_url, sum);
  await markTaskSucceeded(task);
}

let done = 0;
for (;;) {
  let worked = false;
  for (const task of await nextPending(10)) {
    if (!(await claim(task))) continue;
    worked = true;
    try {
      await holding(task, (still) => consume(task, still));
      done += 1;
    } catch (error) {
      console.error(`${task.meeting.issueID}: ${error}`);
      await giveBack(task, error);
    }
  }
  if (!worked) break;
}
console.log(JSON.stringify({ done }));
