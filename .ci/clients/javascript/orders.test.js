// Tests of a program that uses the AWS SDK v3: the endpoint comes from AWS_ENDPOINT_URL.
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, GetCommand, PutCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { GetObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";

const tables = DynamoDBDocumentClient.from(new DynamoDBClient({}));
const objects = new S3Client({ forcePathStyle: true });
const TableName = "test-orders";

afterEach(async () => {
  const answer = await fetch(process.env.AWS_ENDPOINT_URL + "/_pressroom/reset", { method: "POST" });
  assert.equal(answer.status, 200);
});

for (const round of [1, 2]) {
  test(`orders, round ${round}: each begins with what the seeds hold`, async () => {
    assert.equal((await tables.send(new ScanCommand({ TableName }))).Count, 1);
    const put = new PutCommand({ TableName, Item: { id: "1", total: 30 }, ConditionExpression: "attribute_not_exists(id)" });
    await tables.send(put);
    await assert.rejects(tables.send(put), { name: "ConditionalCheckFailedException" });
    assert.equal((await tables.send(new GetCommand({ TableName, Key: { id: "1" } }))).Item.total, 30);
  });
}

test("media", async () => {
  const read = async (Key) => (await objects.send(new GetObjectCommand({ Bucket: "media", Key }))).Body.transformToString();
  assert.equal(await read("hello.txt"), "hello");
  await objects.send(new PutObjectCommand({ Bucket: "media", Key: "new.txt", Body: "new" }));
  assert.equal(await read("new.txt"), "new");
});
