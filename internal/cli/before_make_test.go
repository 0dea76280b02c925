package cli

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"io/fs"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// makeBefore makes the directories of TestVersionBefore anew with another pressroom:
//
//	go test ./internal/cli -run TestVersionBefore -before /path/to/the/pressroom/before
//
// Everything is written through that program's commands and ports. It is stopped once
// for NAME, works on, and is killed for NAME-killed, so that this one has tables and
// logs that were not flushed. What must be found in them, that program tells, of a copy.
func makeBefore(t *testing.T, binary string) {
	for _, name := range []string{"plain", "encrypted"} {
		dir := t.TempDir()
		p := &past{t: t, binary: binary, dir: dir, data: filepath.Join(dir, "data"), paper: paper(t).URL, library: minutesAPI(t)}
		p.said = before{Accounts: map[string]string{}}
		if name == "encrypted" {
			p.said.Keys = "CzFRc4/dzT9zCRnbV0XV116m7KR6qtBFydNjEQhk8lY=\n"
			write(t, filepath.Join(dir, "keys"), p.said.Keys)
		}
		p.begin()
		p.serve()
		p.signIn()
		p.write("first")
		p.end(os.Interrupt)
		p.run("", "lexicon", "export") // opens and closes it, which removes logs that are no longer needed
		if name == "plain" {
			p.keep(name)
		}
		p.serve()
		p.write("second")
		p.end(os.Kill)
		p.keep(name + "-killed")
	}
}

// past is a run of the version before.
type past struct {
	t                 *testing.T
	binary, dir, data string
	paper, library    string
	process           *exec.Cmd
	url, aws          string
	tokens            map[string]string
	said              before
	tables            *dynamodb.Client
	streams           *dynamodbstreams.Client
	objects           *s3.Client
}

func (p *past) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *past) command(data string, args ...string) *exec.Cmd {
	args = append(args, "--data="+data, "--config="+os.DevNull)
	if p.said.Keys != "" {
		args = append(args, "--key-file="+filepath.Join(p.dir, "keys"))
	}
	return exec.Command(p.binary, args...)
}

func (p *past) run(input string, args ...string) {
	p.t.Helper()
	cmd := p.command(p.data, args...)
	cmd.Stdin = strings.NewReader(input)
	if out, err := cmd.CombinedOutput(); err != nil {
		p.t.Fatalf("%v: %v: %s", args, err, out)
	}
}

// begin has the commands write while nobody serves.
func (p *past) begin() {
	p.t.Helper()
	for name, role := range map[string]string{"olga": "operator", "anna": "author", "mona": "moderator", "rita": "reader", "vera": "reader"} {
		p.said.Accounts[name] = name + " keeps this to herself"
		p.run(p.said.Accounts[name]+"\n", "user", "add", name, "--role="+role, "--password-file=-")
	}
	terms := filepath.Join(p.dir, "terms.json")
	write(p.t, terms, `{"version": "1", "count": 2, "items": [
		{"term": "yeet", "gloss": "to throw hard", "examples": ["yeet it"], "tags": ["force"], "categories": ["reaction"], "confidence": 0.9, "momentum": 0.7},
		{"term": "爆速", "gloss": "とても速いこと", "examples": ["爆速で終わる"], "tags": ["speed"], "categories": ["reaction"], "confidence": 0.9, "momentum": 0.7}]}`)
	p.run("", "lexicon", "import", terms)
	p.run("", "collect", "--from=2026-11-01", "--until=2026-11-03", "--minutes-url="+p.library, "--minutes-pause=0s", "--prompt-tokens=4500")
	p.run("", "site", "add", "paper", "--url="+p.paper, "--interval=0", "--crawl-allow=127.0.0.1")
}

// start starts a server and waits for what it says first.
func (p *past) start(data, says string, args ...string) (string, *exec.Cmd) {
	p.t.Helper()
	cmd := p.command(data, args...)
	var log output
	cmd.Stdout, cmd.Stderr = &log, &log
	p.must(cmd.Start())
	p.t.Cleanup(func() { _ = cmd.Process.Kill() }) // it ended long ago, unless the test failed
	at := regexp.MustCompile(says + `.* url=(http://[0-9.:]+)`)
	for deadline := time.Now().Add(demoTime); ; time.Sleep(20 * time.Millisecond) {
		if at.MatchString(log.String()) && strings.Contains(log.String(), "serving DynamoDB") {
			p.aws = regexp.MustCompile(`serving DynamoDB and S3" url=(http://[0-9.:]+)`).FindStringSubmatch(log.String())[1]
			break
		}
		if time.Now().After(deadline) {
			p.t.Fatalf("it does not start: %s", log.String())
		}
	}
	any := credentials.NewStaticCredentialsProvider("any", "any", "")
	p.tables = dynamodb.New(dynamodb.Options{Region: "us-east-1", BaseEndpoint: &p.aws, Credentials: any})
	p.streams = dynamodbstreams.New(dynamodbstreams.Options{Region: "us-east-1", BaseEndpoint: &p.aws, Credentials: any})
	p.objects = s3.New(s3.Options{Region: "us-east-1", BaseEndpoint: &p.aws, Credentials: any, UsePathStyle: true})
	return at.FindStringSubmatch(log.String())[1], cmd
}

func (p *past) serve() {
	p.t.Helper()
	p.url, p.process = p.start(p.data, "msg=serving", "serve", "--addr=127.0.0.1:0", "--aws-addr=127.0.0.1:0", "--rate-limit=0",
		"--minutes-collect=off", "--minutes-url="+p.library, "--prompt-tokens=4500", "--crawl-allow=127.0.0.1", "--crawl-contact=mailto:desk@example.org")
}

func (p *past) end(signal os.Signal) {
	p.t.Helper()
	p.must(p.process.Process.Signal(signal))
	if err := p.process.Wait(); err != nil && signal != os.Kill {
		p.t.Fatal(err)
	}
}

// keep packs the directory, and has a copy of it tell what it holds.
func (p *past) keep(name string) {
	p.t.Helper()
	place := filepath.Join("testdata", "before")
	p.must(os.MkdirAll(place, 0o755))
	pack(p.t, p.data, filepath.Join(place, name+".tar.gz"))
	copied := filepath.Join(p.dir, name)
	unpack(p.t, filepath.Join(place, name+".tar.gz"), copied)
	said := p.said
	said.Taken = time.Now().UTC().Truncate(time.Second)
	_, local := p.start(copied, "msg=\"serving", "local", "--aws-addr=127.0.0.1:0")
	var err error
	said.Held, err = held(p.t.Context(), p.tables, p.streams, p.objects)
	p.must(err)
	p.must(local.Process.Signal(os.Interrupt))
	p.must(local.Wait())
	text, err := json.MarshalIndent(said, "", " ")
	p.must(err)
	write(p.t, filepath.Join(place, name+".json"), string(text)+"\n")
}

// pack puts the files below a directory into an archive.
func pack(t testing.TB, dir, archive string) {
	t.Helper()
	file, err := os.Create(archive)
	if err != nil {
		t.Fatal(err)
	}
	zipped, err := gzip.NewWriterLevel(file, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	out := tar.NewWriter(zipped)
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		body, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		err = out.WriteHeader(&tar.Header{Name: filepath.ToSlash(name), Mode: 0o600, Size: int64(len(body))})
		if err == nil {
			_, err = out.Write(body)
		}
		return err
	})
	if err = errors.Join(err, out.Close(), zipped.Close(), file.Close()); err != nil {
		t.Fatal(err)
	}
}

// signIn makes a token for every account, remembers olga's, and lets rita propose terms.
func (p *past) signIn() {
	p.t.Helper()
	p.tokens = map[string]string{}
	for name, password := range p.said.Accounts {
		jar, err := cookiejar.New(nil)
		p.must(err)
		browser := &http.Client{Jar: jar}
		resp, err := browser.PostForm(p.url+"/sign-in", url.Values{"name": {name}, "password": {password}})
		p.must(err)
		resp.Body.Close()
		resp, err = browser.Post(p.url+"/api/v1/tokens", "application/json", strings.NewReader(`{"name": "before", "scopes": ["read", "write", "admin"]}`))
		p.must(err)
		var made struct{ Secret string }
		p.must(json.NewDecoder(resp.Body).Decode(&made))
		resp.Body.Close()
		p.tokens[name] = made.Secret
	}
	p.said.Token = p.tokens["olga"]
	p.send("rita", http.MethodGet, "/api/v1/lexicon/users/me", nil)
	me, _ := p.send("rita", http.MethodGet, "/api/v1/me", nil)
	rita := "/api/v1/lexicon/users/" + me["id"].(string)
	_, etag := p.send("olga", http.MethodGet, rita, nil)
	p.send("olga", http.MethodPatch, rita, map[string]any{"tier": "premium"}, "If-Match", etag)
}

// send asks for something as an account; the answer must be a success.
func (p *past) send(as, method, path string, body any, header ...string) (map[string]any, string) {
	p.t.Helper()
	content, kind := []byte{}, "application/json"
	switch body := body.(type) {
	case nil:
	case []byte:
		content, kind = body, "image/png"
	default:
		var err error
		content, err = json.Marshal(body)
		p.must(err)
	}
	req, err := http.NewRequestWithContext(p.t.Context(), method, p.url+path, bytes.NewReader(content))
	p.must(err)
	req.Header.Set("Content-Type", kind)
	if as != "" {
		req.Header.Set("Authorization", "Bearer "+p.tokens[as])
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	p.must(err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	p.must(err)
	if resp.StatusCode >= 300 {
		p.t.Fatalf("%s %s: %d %s", method, path, resp.StatusCode, text)
	}
	answer := map[string]any{}
	_ = json.Unmarshal(text, &answer) // what is no object is waited for by its text
	answer["text"] = string(text)
	return answer, resp.Header.Get("ETag")
}

// expect waits until a path shows something, and has the test look for it.
func (p *past) expect(as, path, has string) {
	p.t.Helper()
	eventually(p.t, path+" has "+has, func() bool {
		answer, _ := p.send(as, http.MethodGet, path, nil)
		return strings.Contains(answer["text"].(string), has)
	})
	p.said.Asks = append(p.said.Asks, asked{as, path, has})
}

// write has every desk and both ports write something.
func (p *past) write(round string) {
	p.t.Helper()
	p.blog(round)
	p.lexicon(round)
	p.send("olga", http.MethodPost, "/api/v1/crawls", map[string]any{"siteId": "paper"})
	p.expect("", "/api/v1/newswire/articles", "Story /a")
	p.expect("", "/api/v1/search?q=council+budget", "/newswire/articles/")
	p.expect("", "/api/v1/minutes/articles", "121900001X00320261102")
	p.expect("", "/minutes/articles/121900002X00420261102", "佐藤次郎")
	p.expect("", "/search?q=自転車道", "/minutes/articles/")
	p.awsTables(round)
	p.awsObjects(round)
}

func (p *past) blog(round string) {
	p.t.Helper()
	post := func(title string, blocks int) map[string]any {
		var all []any
		for i := range blocks {
			all = append(all, map[string]any{"type": "text", "content": fmt.Sprintf("Paragraph %d.", i)})
		}
		return map[string]any{"title": title, "summary": "About " + title, "tags": []string{"tea"}, "blocks": all}
	}
	publish := func(made map[string]any, etag string) string {
		id := made["id"].(string)
		p.send("anna", http.MethodPut, "/api/v1/blog/posts/"+id+"/status", map[string]any{"status": "published"}, "If-Match", etag)
		return id
	}
	short := publish(p.send("anna", http.MethodPost, "/api/v1/blog/posts", post("The "+round+" kettle", 2)))
	p.expect("", "/blog/posts/"+short, "The "+round+" kettle")
	p.expect("", "/api/v1/search?q=kettle+"+round, "/blog/posts/"+short)
	if round == "first" {
		long := publish(p.send("anna", http.MethodPost, "/api/v1/blog/posts", post("A long day", 104))) // more than a transaction takes
		p.expect("", "/blog/posts/"+long, "Paragraph 103.")
	}
	draft, etag := p.send("anna", http.MethodPost, "/api/v1/blog/posts", post("A draft", 1))
	id := draft["id"].(string)
	p.send("anna", http.MethodPut, "/api/v1/blog/posts/"+id, post("The "+round+" draft", 2), "If-Match", etag)
	p.expect("anna", "/api/v1/blog/sources/"+id, "The "+round+" draft")
	gone, etag := p.send("anna", http.MethodPost, "/api/v1/blog/posts", post("Gone", 1))
	p.send("anna", http.MethodDelete, "/api/v1/blog/posts/"+gone["id"].(string), nil, "If-Match", etag)
	var picture bytes.Buffer
	p.must(png.Encode(&picture, image.NewGray(image.Rect(0, 0, 40, 30))))
	media, _ := p.send("anna", http.MethodPost, "/api/v1/blog/media?name="+round+".png&alt=grey", picture.Bytes())
	p.expect("anna", "/api/v1/blog/media/"+media["id"].(string), round+".png")
	p.send("", http.MethodPost, "/api/v1/blog/messages", map[string]any{"name": "A reader", "email": "reader@example.org", "subject": "A letter", "body": "The " + round + " letter."})
	p.expect("olga", "/api/v1/blog/messages", "The "+round+" letter.")
}

func (p *past) lexicon(round string) {
	p.t.Helper()
	p.expect("", "/api/v1/lexicon/terms/yeet", "to throw hard")
	p.expect("", "/search?q=爆速", "/lexicon/terms/")
	p.send("mona", http.MethodPost, "/api/v1/lexicon/terms", map[string]any{
		"term": "gleep" + round, "gloss": "the " + round + " gleep", "confidence": 0.95, "momentum": 0.95, "is_quiz_eligible": true, "tags": []string{"net"},
	})
	p.expect("", "/api/v1/lexicon/terms/gleep"+round, "the "+round+" gleep")
	made, _ := p.send("rita", http.MethodPost, "/api/v1/lexicon/submissions", map[string]any{
		"slang_term": "floop" + round, "meaning": "what it means", "example_usage": "so floop" + round, "context": "chat",
	})
	p.expect("rita", "/api/v1/lexicon/submissions/"+made["submission_id"].(string), "floop"+round)
	made, _ = p.send("rita", http.MethodPost, "/api/v1/lexicon/translations", map[string]any{"text": "yeet"})
	p.expect("rita", "/api/v1/lexicon/translations", fmt.Sprint(made["translation_id"]))
}

// awsTables writes items of every type through DynamoDB's port, with an index, a
// stream, a time to live, a transaction, and changes that leave an old image.
func (p *past) awsTables(round string) {
	p.t.Helper()
	ctx, table := p.t.Context(), aws.String("Ledger")
	text := func(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
	number := func(s string) types.AttributeValue { return &types.AttributeValueMemberN{Value: s} }
	if round == "first" {
		_, err := p.tables.CreateTable(ctx, &dynamodb.CreateTableInput{
			TableName: table, BillingMode: types.BillingModePayPerRequest,
			AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("pk"), AttributeType: "S"}, {AttributeName: aws.String("sk"), AttributeType: "N"}, {AttributeName: aws.String("by"), AttributeType: "S"}},
			KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("pk"), KeyType: "HASH"}, {AttributeName: aws.String("sk"), KeyType: "RANGE"}},
			GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{{
				IndexName: aws.String("ByPage"), KeySchema: []types.KeySchemaElement{{AttributeName: aws.String("by"), KeyType: "HASH"}, {AttributeName: aws.String("sk"), KeyType: "RANGE"}},
				Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
			}},
			StreamSpecification: &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewAndOldImages},
		})
		p.must(err)
		_, err = p.tables.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{TableName: table, TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String("ends"), Enabled: aws.Bool(true)}})
		p.must(err)
		_, err = p.tables.UpdateContinuousBackups(ctx, &dynamodb.UpdateContinuousBackupsInput{TableName: table, PointInTimeRecoverySpecification: &types.PointInTimeRecoverySpecification{PointInTimeRecoveryEnabled: aws.Bool(true)}})
		p.must(err)
	}
	for i := range 12 {
		_, err := p.tables.PutItem(ctx, &dynamodb.PutItemInput{TableName: table, Item: map[string]types.AttributeValue{
			"pk": text(round), "sk": number(fmt.Sprint(i)), "by": text(fmt.Sprint("page ", i%3)), "ends": number(fmt.Sprint(time.Now().Add(time.Hour).Unix())),
			"all": &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{
				"number": number("12345678901234567890.123456789"), "bytes": &types.AttributeValueMemberB{Value: []byte{0, 1, 255}}, "true": &types.AttributeValueMemberBOOL{Value: true},
				"null": &types.AttributeValueMemberNULL{Value: true}, "strings": &types.AttributeValueMemberSS{Value: []string{"紙", "paper"}}, "numbers": &types.AttributeValueMemberNS{Value: []string{"1", "-2.5e10"}},
				"blobs": &types.AttributeValueMemberBS{Value: [][]byte{{1}, {2, 3}}}, "list": &types.AttributeValueMemberL{Value: []types.AttributeValue{text(""), number("0")}},
			}},
		}})
		p.must(err)
	}
	key := func(n string) map[string]types.AttributeValue {
		return map[string]types.AttributeValue{"pk": text(round), "sk": number(n)}
	}
	_, err := p.tables.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: table, Key: key("3"), UpdateExpression: aws.String("SET #b = :b ADD hits :one"),
		ExpressionAttributeNames: map[string]string{"#b": "by"}, ExpressionAttributeValues: map[string]types.AttributeValue{":b": text("another"), ":one": number("1")},
	})
	p.must(err)
	_, err = p.tables.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: table, Key: key("4")})
	p.must(err)
	moved := key("100")
	moved["by"] = text("moved")
	_, err = p.tables.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
		{Delete: &types.Delete{TableName: table, Key: key("5")}}, {Put: &types.Put{TableName: table, Item: moved}},
	}})
	p.must(err)
}

// awsObjects writes objects through S3's port: small ones and ones in files of their
// own, replaced, deleted, in parts, with metadata and tags.
func (p *past) awsObjects(round string) {
	p.t.Helper()
	ctx, bucket := p.t.Context(), aws.String("archive")
	if round == "first" {
		_, err := p.objects.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: bucket})
		p.must(err)
		_, err = p.objects.PutBucketVersioning(ctx, &s3.PutBucketVersioningInput{Bucket: bucket, VersioningConfiguration: &s3types.VersioningConfiguration{Status: s3types.BucketVersioningStatusEnabled}})
		p.must(err)
	}
	large := bytes.Repeat([]byte(round+" 紙 "), 70<<10/len(round+" 紙 "))
	for key, body := range map[string][]byte{"note": []byte(round), "紙/" + round: []byte(base64.StdEncoding.EncodeToString([]byte(round))), "large/" + round: large, "empty": nil, "gone": []byte("soon")} {
		_, err := p.objects.PutObject(ctx, &s3.PutObjectInput{
			Bucket: bucket, Key: &key, Body: bytes.NewReader(body), ContentType: aws.String("text/plain; charset=utf-8"), CacheControl: aws.String("max-age=60"),
			Metadata: map[string]string{"round": round}, Tagging: aws.String("kind=" + round),
		})
		p.must(err)
	}
	_, err := p.objects.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: bucket, Key: aws.String("gone")})
	p.must(err)
	for _, complete := range []bool{true, false} {
		up, err := p.objects.CreateMultipartUpload(ctx, &s3.CreateMultipartUploadInput{Bucket: bucket, Key: aws.String("parts/" + round)})
		p.must(err)
		part, err := p.objects.UploadPart(ctx, &s3.UploadPartInput{Bucket: bucket, Key: up.Key, UploadId: up.UploadId, PartNumber: aws.Int32(1), Body: strings.NewReader("the one part of " + round)})
		p.must(err)
		if complete {
			_, err = p.objects.CompleteMultipartUpload(ctx, &s3.CompleteMultipartUploadInput{Bucket: bucket, Key: up.Key, UploadId: up.UploadId, MultipartUpload: &s3types.CompletedMultipartUpload{
				Parts: []s3types.CompletedPart{{ETag: part.ETag, PartNumber: aws.Int32(1)}},
			}})
			p.must(err)
		}
	}
}
