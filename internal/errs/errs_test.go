package errs_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pressroom/internal/errs"
)

// The contract with API clients and shells, written out a second time on
// purpose: a status or a code that changes must change here too.
func TestTable(t *testing.T) {
	type meaning struct {
		Status int
		Code   string
		Exit   int
	}
	want := map[errs.Kind]meaning{
		errs.Internal:        {500, "internal", 1},
		errs.NotFound:        {404, "not_found", 1},
		errs.Gone:            {410, "gone", 1},
		errs.Duplicate:       {409, "duplicate", 1},
		errs.Conflict:        {409, "conflict", 1},
		errs.Stale:           {412, "stale", 1},
		errs.Malformed:       {400, "malformed", 1},
		errs.Invalid:         {422, "invalid", 1},
		errs.TooLarge:        {413, "too_large", 1},
		errs.Unversioned:     {428, "version_required", 1},
		errs.Method:          {405, "method_not_allowed", 1},
		errs.MediaType:       {415, "unsupported_media_type", 1},
		errs.Usage:           {400, "usage", 2},
		errs.Unauthenticated: {401, "unauthenticated", 1},
		errs.Forbidden:       {403, "forbidden", 1},
		errs.RateLimited:     {429, "rate_limited", 1},
		errs.Unavailable:     {503, "unavailable", 1},
		errs.Timeout:         {504, "timeout", 1},
		errs.Budget:          {503, "budget_spent", 1},
		errs.Canceled:        {503, "canceled", 1},
	}
	got := map[errs.Kind]meaning{}
	for k := range errs.Kinds() {
		got[k] = meaning{k.Status(), k.Code(), k.Exit()}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
}

func TestEveryKindIsComplete(t *testing.T) {
	code := regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)
	seen := map[string]errs.Kind{}
	for k := range errs.Kinds() {
		if !code.MatchString(k.Code()) {
			t.Errorf("kind %d: code %q is not lower-case words joined by underscores", k, k.Code())
		}
		if other, ok := seen[k.Code()]; ok {
			t.Errorf("kinds %d and %d share the code %q", other, k, k.Code())
		}
		seen[k.Code()] = k
		if http.StatusText(k.Status()) == "" || k.Status() < 400 {
			t.Errorf("%s: status %d is no HTTP error", k.Code(), k.Status())
		}
		if k.Exit() == 0 {
			t.Errorf("%s: exits 0, as if nothing had happened", k.Code())
		}
		if !strings.HasSuffix(k.Message(), ".") {
			t.Errorf("%s: message %q is no sentence", k.Code(), k.Message())
		}
		if strings.Contains(k.Error(), "_") {
			t.Errorf("%s: log text %q has underscores", k.Code(), k.Error())
		}
	}
}

func TestKindsStops(t *testing.T) {
	for k := range errs.Kinds() {
		if k != errs.Internal {
			t.Fatalf("first kind is %s", k.Code())
		}
		break
	}
	if n := len(slices.Collect(errs.Kinds())); n != 20 {
		t.Errorf("%d kinds, want 20", n)
	}
}

func TestUndeclaredKindIsInternal(t *testing.T) {
	if got := errs.Kind(200); got.Status() != 500 || got.Code() != "internal" {
		t.Errorf("Kind(200) is %d %s", got.Status(), got.Code())
	}
}

func TestKindOf(t *testing.T) {
	tests := []struct {
		name string
		err  error
		want errs.Kind
	}{
		{"plain", io.ErrUnexpectedEOF, errs.Internal},
		{"bare kind", errs.NotFound, errs.NotFound},
		{"wrapped kind", fmt.Errorf("get post 7: %w", errs.NotFound), errs.NotFound},
		{"error", errs.New(errs.Conflict, "x"), errs.Conflict},
		{"wrapped error", fmt.Errorf("save: %w", errs.New(errs.Stale, "x")), errs.Stale},
		{"outermost wins", errs.Wrap(errs.NotFound, errs.Forbidden, "x"), errs.Forbidden},
		{"kind over error", fmt.Errorf("%w: %w", errs.Budget, errs.New(errs.Timeout, "x")), errs.Budget},
		{"joined", errors.Join(io.EOF, errs.TooLarge), errs.TooLarge},
		{"deadline", fmt.Errorf("call: %w", context.DeadlineExceeded), errs.Timeout},
		{"canceled", fmt.Errorf("call: %w", context.Canceled), errs.Canceled},
		{"kind over context", errs.Wrap(context.Canceled, errs.Unavailable, "x"), errs.Unavailable},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := errs.KindOf(tt.err); got != tt.want {
				t.Errorf("KindOf(%v) = %s, want %s", tt.err, got.Code(), tt.want.Code())
			}
			if tt.want != errs.Internal && tt.want != errs.Timeout && tt.want != errs.Canceled && !errors.Is(tt.err, tt.want) {
				t.Errorf("errors.Is(%v, %s) is false", tt.err, tt.want.Code())
			}
		})
	}
}

func TestKindOfNilPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("KindOf(nil) returned")
		}
	}()
	errs.KindOf(nil)
}

func TestIsComparesKinds(t *testing.T) {
	err := fmt.Errorf("op: %w", errs.New(errs.NotFound, "no post 7"))
	if errors.Is(err, errs.Duplicate) {
		t.Error("a NotFound is a Duplicate")
	}
	if errors.Is(err, io.EOF) {
		t.Error("a NotFound is io.EOF")
	}
	var e *errs.Error
	if !errors.As(err, &e) || e.Message != "no post 7" {
		t.Errorf("errors.As gave %+v", e)
	}
	var k errs.Kind
	if !errors.As(fmt.Errorf("op: %w", errs.Budget), &k) || k != errs.Budget {
		t.Errorf("errors.As gave kind %v", k)
	}
}

func TestMessageHidesTheChain(t *testing.T) {
	secret := errors.New("dial 10.0.0.7: password hunter2")
	tests := []struct {
		name string
		err  error
		want string
	}{
		{"plain", secret, errs.Internal.Message()},
		{"kind around", fmt.Errorf("%w: %w", errs.Unavailable, secret), errs.Unavailable.Message()},
		{"error around", errs.Wrap(secret, errs.Unavailable, "The feed does not answer."), "The feed does not answer."},
		{"without a sentence", errs.Validation(errs.Field{Name: "title", Message: "is missing"}), errs.Invalid.Message()},
		{"an inner sentence of another kind", fmt.Errorf("%w: %w", errs.NotFound, errs.New(errs.Forbidden, "This is a draft of Ann's.")), errs.NotFound.Message()},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := errs.Message(tt.err); got != tt.want {
				t.Errorf("Message = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestErrorTextIsForTheLog(t *testing.T) {
	tests := []struct {
		err  error
		want string
	}{
		{errs.RateLimited, "rate limited"},
		{errs.New(errs.NotFound, "no site %q", "x"), `no site "x"`},
		{errs.Wrap(io.EOF, errs.Unavailable, "the feed ended"), "the feed ended: EOF"},
		{errs.Validation(errs.Field{"title", "is missing"}, errs.Field{"tags", "are 11, at most 10"}), "invalid: title is missing; tags are 11, at most 10"},
		{errs.RateLimit(time.Second), "rate limited"},
	}
	for _, tt := range tests {
		if got := tt.err.Error(); got != tt.want {
			t.Errorf("Error() = %q, want %q", got, tt.want)
		}
	}
}

func TestFieldsAndRetryAfter(t *testing.T) {
	fields := []errs.Field{{"title", "is missing"}, {"blocks[3].url", "is no address"}}
	err := fmt.Errorf("save: %w", errs.Validation(fields...))
	if diff := cmp.Diff(fields, errs.Fields(err)); diff != "" {
		t.Errorf("Fields (-want +got):\n%s", diff)
	}
	if got := errs.Fields(io.EOF); got != nil {
		t.Errorf("Fields(EOF) = %v", got)
	}
	after, ok := errs.RetryAfter(fmt.Errorf("ask: %w", errs.RateLimit(3*time.Second)))
	if !ok || after != 3*time.Second {
		t.Errorf("RetryAfter = %v, %v", after, ok)
	}
	if after, ok := errs.RetryAfter(errs.RateLimited); ok {
		t.Errorf("RetryAfter of a bare kind = %v", after)
	}
}
