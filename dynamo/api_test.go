package dynamo_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/smithy-go"

	"pressroom/dynamo"
)

// TestMethodSet holds a DB to the SDK's client, method by method: a program
// must be able to take the one for the other.
func TestMethodSet(t *testing.T) {
	compareMethods(t, reflect.TypeFor[*dynamodb.Client](), reflect.TypeFor[*dynamo.DB]())
	compareMethods(t, reflect.TypeFor[*dynamodbstreams.Client](), reflect.TypeFor[*dynamo.Streams]())
}

func compareMethods(t *testing.T, client, ours reflect.Type) {
	t.Helper()
	for i := range client.NumMethod() {
		want := client.Method(i)
		if want.Name == "Options" { // of a client that sends requests
			continue
		}
		got, ok := ours.MethodByName(want.Name)
		if !ok {
			t.Errorf("%v has no %s", ours, want.Name)
			continue
		}
		if got, want := signature(got), signature(want); got != want {
			t.Errorf("%v.%s is %s, want %s", ours, client.Method(i).Name, got, want)
		}
	}
}

// signature is a method's type without its receiver.
func signature(m reflect.Method) string {
	var in, out []reflect.Type
	for i := 1; i < m.Type.NumIn(); i++ {
		in = append(in, m.Type.In(i))
	}
	for i := range m.Type.NumOut() {
		out = append(out, m.Type.Out(i))
	}
	return reflect.FuncOf(in, out, m.Type.IsVariadic()).String()
}

// TestNothingIsUnknown calls every operation of the SDK's client without an
// input: each answers, or refuses as itself.
func TestNothingIsUnknown(t *testing.T) {
	db := open(t)
	v := reflect.ValueOf(db)
	client := reflect.TypeFor[*dynamodb.Client]()
	for i := range client.NumMethod() {
		name := client.Method(i).Name
		if name == "Options" {
			continue
		}
		m := v.MethodByName(name)
		out := m.Call([]reflect.Value{reflect.ValueOf(context.Background()), reflect.Zero(m.Type().In(1))})
		err, _ := out[1].Interface().(error)
		if err == nil {
			continue
		}
		var op *smithy.OperationError
		if !errors.As(err, &op) || op.Operation() != name || op.Service() != "DynamoDB" {
			t.Errorf("%s: %v is no error of that operation", name, err)
		}
		var api smithy.APIError
		if errors.As(err, &api) && api.ErrorCode() == "UnknownOperationException" {
			t.Errorf("%s is not known", name)
		}
	}
}
