package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/qedkit/qed/dialect/sqlite"
	"github.com/qedkit/qed/examples/fieldservice"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/sqlitedb"
)

// source is the database that is asked: opened for reading, described, guarded.
type source struct {
	name   string
	notes  []string // what a person should know of it
	db     *sqldb.DB
	guard  *secureview.Guard
	schema *joinpath.Schema
	folder string // removed at the end; empty: none
}

func (s *source) close() {
	s.db.Close()
	if s.folder != "" {
		os.RemoveAll(s.folder)
	}
}

// where says what to open, and how.
type where struct {
	dsn, policy, manual string // empty: the example company's
	columnsInMessages   int    // 0: the guard's default
}

// open opens the user's own database, or makes the example company's.
func open(ctx context.Context, w where) (_ *source, err error) {
	s := &source{}
	var manual io.Reader
	var policy *secureview.Policy
	path := w.dsn
	if w.dsn == "" {
		if s.folder, err = os.MkdirTemp("", "qed-quickstart-"); err != nil {
			return nil, err
		}
		path = filepath.Join(s.folder, "fieldservice.db")
		if err := fieldservice.Create(ctx, path); err != nil {
			os.RemoveAll(s.folder)
			return nil, err
		}
		s.name = "A field-service company in SQLite"
		manual = strings.NewReader(fieldservice.ManualGraph)
		if policy, err = secureview.ReadPolicy(strings.NewReader(fieldservice.PolicyJSON)); err != nil {
			os.RemoveAll(s.folder)
			return nil, err
		}
		s.notes = append(s.notes, "Read through secure views only: "+strings.Join(slices.Sorted(maps.Keys(policy.Views)), ", "))
	} else {
		s.name = "Your database"
		if strings.Contains(w.dsn, "://") && !strings.HasPrefix(w.dsn, "file:") {
			return nil, errors.New("-dsn takes the path of an SQLite file")
		}
		if policy, err = readPolicy(w.policy); err != nil {
			return nil, err
		}
		if w.manual != "" {
			f, err := os.Open(w.manual)
			if err != nil {
				return nil, err
			}
			defer f.Close()
			manual = f
		}
	}
	if s.db, err = sqlitedb.Open(path, nil); err != nil {
		return nil, err
	}
	if err := s.describe(ctx, manual, policy, w.columnsInMessages); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func readPolicy(file string) (*secureview.Policy, error) {
	if file == "" {
		return nil, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return secureview.ReadPolicy(f)
}

// describe reads the database's own description, lays the manual relationships
// over it, and puts the guard before it.
func (s *source) describe(ctx context.Context, manual io.Reader, policy *secureview.Policy, columnsInMessages int) error {
	if err := s.db.Check(ctx); err != nil {
		return err
	}
	var err error
	if s.schema, err = s.db.Introspect(ctx); err != nil {
		return err
	}
	if manual != nil {
		corrections, err := joinpath.Read(manual)
		if err != nil {
			return err
		}
		if s.schema, err = joinpath.Merge(s.schema, corrections); err != nil {
			return err
		}
	}
	if policy == nil {
		policy = everything(s.schema)
		s.notes = append(s.notes, "No -policy is given: every table is readable.")
	}
	policy.ColumnsInMessages = cmp.Or(policy.ColumnsInMessages, columnsInMessages)
	if s.guard, err = secureview.New(policy, sqlite.Dialect{}); err != nil {
		return err
	}
	s.notes = append(s.notes, count(len(s.guard.Tables()), "table")+", "+count(len(s.schema.Relationships), "relationship"))
	return nil
}

// everything is the policy that lets every table and column be read.
func everything(schema *joinpath.Schema) *secureview.Policy {
	p := &secureview.Policy{Dialect: "sqlite", Schema: "main", Tables: map[string][]string{}}
	for name, t := range schema.Tables {
		p.Tables[name] = t.Columns
	}
	return p
}
