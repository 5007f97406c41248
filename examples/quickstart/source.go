package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/qedkit/qed/dialect"
	"github.com/qedkit/qed/examples/fieldservice"
	"github.com/qedkit/qed/examples/internal/database"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqldb"
)

// source is the database that is asked: opened for reading, described, guarded.
type source struct {
	name     string
	notes    []string        // what a person should know of it
	findings []sqldb.Finding // what is wrong with the account
	dialect  dialect.Dialect
	in       string // the schema of the policy's tables
	db       *sqldb.DB
	guard    *secureview.Guard
	schema   *joinpath.Schema
	folder   string // removed at the end; empty: none
}

func (s *source) close() {
	if s.db != nil {
		s.db.Close()
	}
	if s.folder != "" {
		os.RemoveAll(s.folder)
	}
}

// where says what to open, and how.
type where struct {
	dsn, policy, manual string // empty: the example company's
	encryptKey          string // what secure views decrypt with; empty: nothing
	columnsInMessages   int    // 0: the guard's default
}

// open opens the user's own database, or makes the example company's.
func open(ctx context.Context, w where) (_ *source, err error) {
	s := &source{}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	var manual io.Reader
	var policy *secureview.Policy
	dsn := w.dsn
	if dsn == "" {
		if s.folder, err = os.MkdirTemp("", "qed-quickstart-"); err != nil {
			return nil, err
		}
		dsn = filepath.Join(s.folder, "fieldservice.db")
		if err := fieldservice.Create(ctx, dsn); err != nil {
			return nil, err
		}
		manual, policy = strings.NewReader(fieldservice.ManualGraph), fieldservice.Policy("sqlite", "main")
	} else {
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
	named, err := database.Parse(dsn)
	if err != nil {
		return nil, err
	}
	s.name, s.dialect, s.in = named.Name, named.Dialect, named.Schema
	if w.dsn == "" {
		s.name = "A field-service company in SQLite"
		s.notes = append(s.notes, "Read through secure views only: "+strings.Join(slices.Sorted(maps.Keys(policy.Views)), ", "))
	}
	opt := sqldb.Options{Session: database.Session(s.dialect.Name(), policy, w.encryptKey, nil)}
	if s.db, err = named.Reader(opt); err != nil {
		return nil, err
	}
	if err := s.describe(ctx, manual, policy, w.columnsInMessages); err != nil {
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
	var err error
	if s.schema, err = s.db.Introspect(ctx); err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	if policy == nil {
		if len(s.schema.Tables) == 0 {
			return fmt.Errorf("%s: the database is empty, or shows this account nothing", s.name)
		}
		policy = s.everything()
	}
	policy.Schema = cmp.Or(policy.Schema, s.in)
	if err := s.db.Check(ctx, policy); err != nil && !s.found(err) {
		return fmt.Errorf("%s: %w", s.name, err)
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
	policy.ColumnsInMessages = cmp.Or(policy.ColumnsInMessages, columnsInMessages)
	if s.guard, err = secureview.New(policy, s.dialect); err != nil {
		return err
	}
	s.notes = append(s.notes, count(len(s.guard.Tables()), "table")+", "+count(len(s.schema.Relationships), "relationship"))
	return nil
}

// found keeps what a check finds wrong with the account, and reports whether it
// found something.
func (s *source) found(err error) bool {
	var e *sqldb.Error
	if !errors.As(err, &e) || e.Kind != sqldb.ErrAccount || len(e.Findings) == 0 {
		return false
	}
	s.findings = e.Findings
	return true
}

// everything is the policy that lets every table and column be read; a table
// that a secure view is named after, through the view.
func (s *source) everything() *secureview.Policy {
	p := &secureview.Policy{Dialect: s.dialect.Name(), Schema: s.in, Tables: map[string][]string{}, Views: map[string]string{}}
	for name, t := range s.schema.Tables {
		p.Tables[name] = t.Columns
		view := secureview.DefaultViewPrefix + strings.ToLower(name)
		if _, ok := s.schema.Tables[view]; ok {
			p.Views[name] = view
		}
	}
	s.notes = append(s.notes, "No -policy is given: every table is readable.")
	if len(p.Views) > 0 {
		s.notes = append(s.notes, "Read through secure views only: "+strings.Join(slices.Sorted(maps.Keys(p.Views)), ", "))
	}
	return p
}
