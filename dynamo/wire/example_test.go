package wire_test

import (
	"log"
	"net/http"
	"os"

	"pressroom/dynamo"
	"pressroom/dynamo/wire"
)

// An endpoint for programs on this machine, such as the AWS CLI with
// --endpoint-url http://localhost:8000.
func ExampleNew() {
	db, err := dynamo.Open("data", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	log.Print(http.ListenAndServe("localhost:8000", wire.New(db, nil)))
}

// An endpoint that asks who is there.
func ExampleNew_credentials() {
	db, err := dynamo.Open("data", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	keys := map[string]string{"editor": os.Getenv("EDITOR_SECRET")}
	handler := wire.New(db, &wire.Options{
		Credentials: func(id string) (string, bool) {
			secret, ok := keys[id]
			return secret, ok
		},
	})
	log.Print(http.ListenAndServe(":8000", handler))
}
