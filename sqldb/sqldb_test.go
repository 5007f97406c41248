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
		"no engine":        second(New(nil, pool, nil)),
		"no pool":          second(New(engine{}, nil, nil)),
		"a nil replica":    second(New(engine{}, pool, &Options{Replicas: []*sql.DB{nil}})),
		"the same pool":    second(New(engine{}, pool, &Options{Replicas: []*sql.DB{pool}})),
		"negative timeout": second(New(engine{}, pool, &Options{Timeout: -1})),
		"negative pool":    second(New(engine{}, pool, &Options{MaxOpenConns: -1})),
	} {
		if !errors.Is(err, ErrArgument) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestMaxOpenConns(t *testing.T) {
	pools := []*sql.DB{sql.OpenDB(&server{}), sql.OpenDB(&server{})}
	pools[1].SetMaxOpenConns(3)
	for _, test := range []struct {
		limit int
		want  []int
	}{{0, []int{0, 3}}, {5, []int{5, 5}}} {
		if _, err := New(engine{}, pools[0], &Options{MaxOpenConns: test.limit, Replicas: pools[1:]}); err != nil {
			t.Fatal(err)
		}
		if got := []int{pools[0].Stats().MaxOpenConnections, pools[1].Stats().MaxOpenConnections}; !cmp.Equal(got, test.want) {
			t.Errorf("MaxOpenConns %d: the pools have %v", test.limit, got)
		}
	}
	for _, pool := range pools {
		pool.Close()
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

// nobody returns no session.
func nobody(context.Context) (*Session, error) { return nil, nil }

func TestCheck(t *testing.T) {
	s := &server{}
	db := serve(t, engine{}, nil, s)
	if err := db.Check(t.Context(), nil); err != nil {
		t.Error(err)
	}
	s.findings = []Finding{
		{Kind: CanWrite, Object: "a", Message: "One."}, {Kind: CanReadBaseTable, Object: "b", Message: "Two."},
		{Kind: CannotRead, Object: "c", Message: "Three.", Fix: "GRANT SELECT ON c TO agent"}, {Kind: WrongSetting, Message: "Four."},
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
		t.Errorf("a key without Options.Session: %v", err)
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
