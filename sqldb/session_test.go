package sqldb

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

type tenant struct{}

func TestSession(t *testing.T) {
	s := &server{columns: []string{"a"}}
	calls := 0
	db := serve(t, engine{"sqlite"}, &Options{Session: func(ctx context.Context) (*Session, error) {
		calls++
		switch who := ctx.Value(tenant{}).(type) {
		case nil:
			return nil, nil
		default:
			return &Session{Settings: map[string]any{"tenant": who}, Role: "reader", SearchPath: []string{"ext"}}, nil
		}
	}}, s)
	if !db.PerSession() || serve(t, engine{}, nil, s).PerSession() {
		t.Error("PerSession does not report whether there is one")
	}
	for _, test := range []struct {
		ctx  context.Context
		want *Session
	}{
		{t.Context(), &Session{}},
		{context.WithValue(t.Context(), tenant{}, 5), &Session{Settings: map[string]any{"tenant": 5}, Role: "reader", SearchPath: []string{"ext"}}},
	} {
		calls = 0
		if _, err := db.Query(test.ctx, statement(t, sqlite.Dialect{}, "SELECT a FROM t")); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, s.queries[len(s.queries)-1].Session); diff != "" || calls != 1 {
			t.Errorf("%d calls (-want +got):\n%s", calls, diff)
		}
	}
}

func TestSessionRefused(t *testing.T) {
	own := errors.New("no tenant for hunter2")
	settings := func(name string, value any) SessionFunc {
		return func(context.Context) (*Session, error) {
			return &Session{Settings: map[string]any{name: value}}, nil
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, test := range []struct {
		name    string
		ctx     context.Context
		session SessionFunc
		want    error
		names   string // what the error must name
	}{
		{"its error", t.Context(), func(context.Context) (*Session, error) { return nil, own }, ErrSession, ""},
		{"its error, after the caller canceled", ended, func(ctx context.Context) (*Session, error) { return nil, own }, ErrCanceled, ""},
		{"no name", t.Context(), settings("", "hunter2"), ErrArgument, `""`},
		{"a quote in a name", t.Context(), settings("a'b", "hunter2"), ErrArgument, "a'b"},
		{"a letter that is not ASCII", t.Context(), settings("straße", "hunter2"), ErrArgument, "straße"},
		{"a struct", t.Context(), settings("app.key", struct{ s string }{"hunter2"}), ErrArgument, "app.key"},
		{"a pointer", t.Context(), settings("app.key", new(int)), ErrArgument, "app.key"},
		{"an int32", t.Context(), settings("app.key", int32(1)), ErrArgument, "app.key"},
		{"one name twice", t.Context(), func(context.Context) (*Session, error) {
			return &Session{Settings: map[string]any{"aesKey": "hunter2", "AESKEY": "hunter2"}}, nil
		}, ErrArgument, "aesKey"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := &server{columns: []string{"a"}}
			_, err := serve(t, engine{"sqlite"}, &Options{Session: test.session}, s).Query(test.ctx, statement(t, sqlite.Dialect{}, "SELECT a FROM t"))
			if !errors.Is(err, test.want) || test.names == "" && !errors.Is(err, own) {
				t.Fatalf("got %v, want %v", err, test.want)
			}
			if text := err.Error(); strings.Contains(text, "hunter2") || !strings.Contains(text, test.names) {
				t.Error(text)
			}
			if s.opened > 0 {
				t.Error("a connection was opened")
			}
		})
	}
	for _, value := range []any{nil, "", "text", []byte{0}, true, 1, int64(1), 1.5} {
		db := serve(t, engine{"sqlite"}, &Options{Session: settings("app.Key_1", value)}, &server{columns: []string{"a"}})
		if _, err := db.Query(t.Context(), statement(t, sqlite.Dialect{}, "SELECT a FROM t")); err != nil {
			t.Errorf("a setting of %T: %v", value, err)
		}
	}
}

// A panic of Options.Session reaches the caller and leaves nothing locked.
func TestSessionPanics(t *testing.T) {
	bug := true
	db := serve(t, engine{"sqlite"}, &Options{Session: func(context.Context) (*Session, error) {
		if bug {
			panic("a bug")
		}
		return nil, nil
	}}, &server{columns: []string{"a"}})
	stmt := statement(t, sqlite.Dialect{}, "SELECT a FROM t")
	func() {
		defer func() {
			if recover() != "a bug" {
				t.Error("another panic, or none")
			}
		}()
		db.Query(t.Context(), stmt)
	}()
	bug = false
	if _, err := db.Query(t.Context(), stmt); err != nil {
		t.Error(err)
	}
}
