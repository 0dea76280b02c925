import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.s3.S3Client;

/** Tests of a program that uses the AWS SDK v2: the endpoint comes from AWS_ENDPOINT_URL. */
class OrdersTest {
  static final String TABLE = "test-orders";
  final DynamoDbClient tables = DynamoDbClient.builder().httpClientBuilder(UrlConnectionHttpClient.builder()).build();
  final S3Client objects = S3Client.builder().httpClientBuilder(UrlConnectionHttpClient.builder()).forcePathStyle(true).build();

  @AfterEach
  void reset() throws Exception {
    URI uri = URI.create(System.getenv("AWS_ENDPOINT_URL") + "/_pressroom/reset");
    HttpRequest post = HttpRequest.newBuilder(uri).POST(HttpRequest.BodyPublishers.noBody()).build();
    assertEquals(200, HttpClient.newHttpClient().send(post, HttpResponse.BodyHandlers.ofString()).statusCode());
  }

  @RepeatedTest(2) // each begins with what the seeds hold
  void orders() {
    assertEquals(1, tables.scan(b -> b.tableName(TABLE)).count());
    Map<String, AttributeValue> item = Map.of("id", AttributeValue.fromS("1"), "total", AttributeValue.fromN("30"));
    Runnable put = () -> tables.putItem(b -> b.tableName(TABLE).item(item).conditionExpression("attribute_not_exists(id)"));
    put.run();
    assertThrows(ConditionalCheckFailedException.class, put::run);
    var got = tables.getItem(b -> b.tableName(TABLE).key(Map.of("id", AttributeValue.fromS("1"))));
    assertEquals("30", got.item().get("total").n());
  }

  @Test
  void media() {
    assertEquals("hello", objects.getObjectAsBytes(b -> b.bucket("media").key("hello.txt")).asUtf8String());
    objects.putObject(b -> b.bucket("media").key("new.txt"), RequestBody.fromString("new"));
    assertEquals("new", objects.getObjectAsBytes(b -> b.bucket("media").key("new.txt")).asUtf8String());
  }
}
