// A program of a user of the AWS SDK for JavaScript, with nothing set but the endpoint.
import assert from "node:assert/strict";
import { Readable } from "node:stream";
import {
  S3Client, CreateBucketCommand, PutObjectCommand, GetObjectCommand, ListObjectsV2Command, DeleteObjectsCommand,
  DeleteBucketCommand, CopyObjectCommand, PutObjectTaggingCommand, GetObjectTaggingCommand,
} from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";

const s3 = new S3Client({});
const Bucket = "js-bucket";
const keys = ["a", "a/b", "a//b", "日本語/エモい", "sp ace+plus%25", "x&<y>'\""];

await s3.send(new CreateBucketCommand({ Bucket }));
for (const Key of keys) {
  await s3.send(new PutObjectCommand({ Bucket, Key, Body: "body of " + Key, Metadata: { k: "v" } }));
  const out = await s3.send(new GetObjectCommand({ Bucket, Key }));
  assert.equal(await out.Body.transformToString(), "body of " + Key);
  assert.equal(out.Metadata.k, "v");
}
const list = await s3.send(new ListObjectsV2Command({ Bucket, Delimiter: "/" }));
assert.deepEqual(list.CommonPrefixes.map((p) => p.Prefix), ["a/", "日本語/"]);
await assert.rejects(s3.send(new GetObjectCommand({ Bucket, Key: "none" })), { name: "NoSuchKey" });

const big = Buffer.alloc(12 << 20, 7);
await new Upload({ client: s3, params: { Bucket, Key: "big", Body: Readable.from([big.subarray(0, 9e6), big.subarray(9e6)]) } }).done();
const got = await (await s3.send(new GetObjectCommand({ Bucket, Key: "big" }))).Body.transformToByteArray();
assert.equal(Buffer.compare(Buffer.from(got), big), 0);

await s3.send(new CopyObjectCommand({ Bucket, Key: "copy", CopySource: encodeURI(Bucket + "/日本語/エモい") }));
await s3.send(new PutObjectTaggingCommand({ Bucket, Key: "a", Tagging: { TagSet: [{ Key: "t", Value: "1" }] } }));
assert.equal((await s3.send(new GetObjectTaggingCommand({ Bucket, Key: "a" }))).TagSet[0].Value, "1");
const url = await getSignedUrl(s3, new GetObjectCommand({ Bucket, Key: "a/b" }), { expiresIn: 60 });
assert.equal(await (await fetch(url)).text(), "body of a/b");

const Objects = [...keys, "big", "copy"].map((Key) => ({ Key }));
assert.equal((await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }))).Errors, undefined);
await s3.send(new DeleteBucketCommand({ Bucket }));
console.log("ok");
