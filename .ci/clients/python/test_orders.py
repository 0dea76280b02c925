"""Tests of a program that uses boto3: the endpoint comes from AWS_ENDPOINT_URL."""
import os
import urllib.request

import boto3
import pytest
from botocore.config import Config
from boto3.dynamodb.conditions import Attr


@pytest.fixture(autouse=True)
def reset():
    yield
    request = urllib.request.Request(os.environ["AWS_ENDPOINT_URL"] + "/_pressroom/reset", method="POST")
    urllib.request.urlopen(request).read()


def orders():
    return boto3.resource("dynamodb").Table("test-orders")


def objects():
    return boto3.client("s3", config=Config(s3={"addressing_style": "path"}))


@pytest.mark.parametrize("round", range(2))  # each begins with what the seeds hold
def test_orders(round):
    table = orders()
    assert table.scan()["Count"] == 1
    table.put_item(Item={"id": "1", "total": 30}, ConditionExpression=Attr("id").not_exists())
    with pytest.raises(table.meta.client.exceptions.ConditionalCheckFailedException):
        table.put_item(Item={"id": "1", "total": 31}, ConditionExpression=Attr("id").not_exists())
    assert table.get_item(Key={"id": "1"}, ConsistentRead=True)["Item"]["total"] == 30


def test_media():
    s3 = objects()
    assert s3.get_object(Bucket="media", Key="hello.txt")["Body"].read() == b"hello"
    s3.put_object(Bucket="media", Key="new.txt", Body=b"new", Metadata={"source-url": "x"})
    assert s3.head_object(Bucket="media", Key="new.txt")["Metadata"] == {"source-url": "x"}
    link = s3.generate_presigned_url("get_object", Params={"Bucket": "media", "Key": "new.txt"})
    assert urllib.request.urlopen(link).read() == b"new"
