package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/secureview"
)

func TestNew(t *testing.T) {
	s := &server{}
	pool := sql.OpenDB(s)
	defer pool.Close()
	for name, err := range map[string]error{
		"no engine": second(New(nil, nil, pool)),
		"no pool":   second(New(engine{}, nil)),
		"a nil one": second(New(engine{}, nil, pool, nil)),
		"the same":  second(New(engine{}, nil, pool, pool)),
		"negative":  second(New(engine{}, &Options{Timeout: -1}, pool)),
		"backoff":   second(New(engine{}, &Options{Backoff: -1}, pool)),
	} {
		if !errors.Is(err, ErrArgument) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func second(_ *DB, err error) error { return err }

func TestIntrospect(t *testing.T) {
	var skipped []string
	s := &server{}
	db := serve(t, engine{}, &Options{Skipped: func(table, reason string) { skipped = append(skipped, table+": "+reason) }}, s)
	if _, err := db.Introspect(t.Context()); err != nil || !cmp.Equal(skipped, []string{"t: why"}) {
		t.Errorf("%v, %v", err, skipped)
	}
	s.at = only("introspect", fails(errSyntax))
	if schema, err := db.Introspect(t.Context()); !errors.Is(err, ErrExecution) || schema != nil {
		t.Errorf("%v, %v", schema, err)
	}
	s.at = nil
	if err := serve(t, engine{}, nil, s).Close(); err != nil {
		t.Error(err)
	}
}

// nobody is a session without settings.
func nobody(context.Context) (*Session, error) { return nil, nil }

func TestCheck(t *testing.T) {
	s := &server{}
	db := serve(t, engine{}, nil, s)
	if err := db.Check(t.Context(), nil); err != nil {
		t.Error(err)
	}
	s.findings = []Finding{
		{Problem: CanWrite, Object: "a", Message: "One."}, {Problem: CanReadBase, Object: "b", Message: "Two."},
		{Problem: CannotRead, Object: "c", Message: "Three.", Cure: "GRANT SELECT ON c TO agent"}, {Problem: Unsuitable, Message: "Four."},
	}
	err := db.Check(t.Context(), nil)
	var failed *Error
	if !errors.Is(err, ErrAccount) || !errors.As(err, &failed) {
		t.Fatal(err)
	}
	if diff := cmp.Diff(s.findings, failed.Findings); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if text := err.Error(); !strings.Contains(text, "One; Two; Three; and 1 more") || !strings.Contains(text, "4 findings") {
		t.Error(text)
	}
	settings := &secureview.Policy{Setup: &secureview.Setup{Key: &secureview.Key{Setting: "aesKey"}}}
	s.findings = nil
	if err := db.Check(t.Context(), settings); !errors.Is(err, ErrAccount) {
		t.Errorf("a key that nobody gives: %v", err)
	}
	if err := serve(t, engine{}, &Options{Session: nobody}, s).Check(t.Context(), settings); err != nil {
		t.Error(err)
	}
	if err := db.Check(t.Context(), &secureview.Policy{Dialect: "other"}); !errors.Is(err, ErrArgument) {
		t.Errorf("a policy for another dialect: %v", err)
	}
	s.at = only("check", fails(&Error{Kind: ErrWritable}))
	if err := db.Check(t.Context(), nil); !errors.Is(err, ErrWritable) {
		t.Error(err)
	}
}
