package engine

import (
	"fmt"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

func TestDescribeLimits(t *testing.T) {
	e := openStore(t, nil, newClock())
	out, err := e.DescribeLimits(ctx, &dynamodb.DescribeLimitsInput{})
	if err != nil {
		t.Fatal(err)
	}
	got := []int64{*out.AccountMaxReadCapacityUnits, *out.AccountMaxWriteCapacityUnits, *out.TableMaxReadCapacityUnits, *out.TableMaxWriteCapacityUnits}
	if want := []int64{80000, 80000, 40000, 40000}; !slices.Equal(got, want) {
		t.Errorf("limits are %v, want %v", got, want)
	}
}

func TestDescribeEndpoints(t *testing.T) {
	e := openStore(t, nil, newClock())
	out, err := e.DescribeEndpoints(ctx, &dynamodb.DescribeEndpointsInput{})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprintf("%d %s %d", len(out.Endpoints), *out.Endpoints[0].Address, out.Endpoints[0].CachePeriodInMinutes); got != "1 localhost 1440" {
		t.Errorf("endpoints: %s", got)
	}
}
