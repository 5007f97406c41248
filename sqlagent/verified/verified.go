// Package verified keeps pairs of a question and an SQL statement that a person
// approved. Similar ones become examples when a model writes SQL: see
// [github.com/qedkit/qed/sqlagent.Options].Verified.
//
//	set, err := verified.Open("questions.jsonl", nil)
//	...
//	pair, err := verified.FromAnswer(turn, answer) // a user says that the answer is right
//	err = set.Propose(pair)
//	...
//	for _, pair := range set.Proposed() { // a person reads the proposals
//		pair.By = "ann"
//		err = set.Approve(pair)
//	}
//
// A proposal is never shown to a model.
//
// An answer is verified if the statement that ran is the approved one, whatever the text of
// the question: [Pair.Matches] compares their trees.
package verified

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/textmatch"
	"github.com/qedkit/qed/internal/vector"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/query"
)

// A Pair is a question and the statement that answers it.
type Pair struct {
	Question string `json:"question"`
	SQL      string `json:"sql"` // as a model writes it: with the names of the policy

	// Parameters are the literals of SQL that may be others in a statement that is
	// verified by this pair, by a name for people: {"site": "Port of Miami"}. See
	// [Pair.Matches].
	Parameters map[string]string `json:"parameters,omitempty"`

	// Tenant limits the pair to the turns of a tenant. A pair without one is an
	// example for all tenants.
	Tenant string `json:"tenant,omitempty"`

	By   string    `json:"by,omitempty"`  // who approved or rejected it
	Time time.Time `json:"time,omitzero"` // when
}

var (
	// ErrInvalid is the error of a pair or a line that cannot be used.
	ErrInvalid = errors.New("not a pair of a question and a statement")

	// ErrNotProved is the error of [FromAnswer] if the answer is partial, or if it
	// does not come from exactly one SQL statement.
	ErrNotProved = errors.New("the answer is not that of one SQL statement")

	// ErrFull is the error of [Set.Propose] if too many proposals wait for a
	// decision.
	ErrFull = errors.New("too many proposals wait for a decision")

	// ErrChanged is the error of a change if another program changed the file since
	// [Open]. Open it again.
	ErrChanged = errors.New("the file was changed by another program")
)

const (
	maxQuestion  = 4 << 10 // bytes
	maxSQL       = 32 << 10
	maxName      = 256
	maxParams    = 20
	maxProposals = 1000
	maxVectors   = 10_000 // of questions, in memory
)

// status is what was decided about a pair.
type status string

const (
	proposed status = "proposed"
	approved status = "approved"
	rejected status = "rejected"
)

// Options are the options of [Open] and [Read]. Nil and zero fields mean the
// defaults.
type Options struct {
	// Embedder finds questions that are similar in meaning. Nil means that they are
	// found by their words. If the Embedder fails, words are used, and [qed.Warning] is
	// emitted. The set keeps the vectors of 10,000 questions in memory, so that each
	// is embedded once.
	Embedder llm.Embedder
}

// A Set has the pairs that are approved, proposed and rejected. Make one with [Open]
// or [Read]. It is safe for concurrent use.
type Set struct {
	embedder llm.Embedder // with a cache; may be nil

	mu      sync.Mutex
	entries []entry  // oldest first; each pair once
	file    *os.File // nil: in memory only
	size    int64    // of the file
	newline bool     // the file ends within a line
}

// An entry is a line of the file.
type entry struct {
	Status status `json:"status,omitempty"` // empty: approved
	Pair

	// question and statement are those of the pair up to spaces and case.
	question, statement string
}

func newSet(opt *Options) *Set {
	s := &Set{}
	if opt != nil && opt.Embedder != nil {
		s.embedder = llm.CacheEmbedder(opt.Embedder, maxVectors)
	}
	return s
}

// FromAnswer returns the pair of a turn that a user found right. It has the tenant of
// the turn, and not the user: approved pairs stay when a user is erased. The error
// matches [ErrNotProved] if the answer is partial, or its rows do not come from
// exactly one SQL statement.
func FromAnswer(turn qed.Turn, answer qed.Answer) (Pair, error) {
	if answer.Partial || len(answer.Queries) != 1 || answer.Queries[0].Language != query.SQL || answer.Queries[0].Executed == "" {
		return Pair{}, fmt.Errorf("verified: %w", ErrNotProved)
	}
	p := Pair{Question: turn.Text, SQL: answer.Queries[0].Written, Tenant: turn.Tenant}
	return p, p.check()
}

// check returns an error that matches ErrInvalid if the pair cannot be kept.
func (p Pair) check() error {
	for _, field := range []struct {
		name, text string
		most       int
		needed     bool
	}{
		{"question", p.Question, maxQuestion, true}, {"sql", p.SQL, maxSQL, true},
		{"tenant", p.Tenant, maxName, false}, {"by", p.By, maxName, false},
	} {
		switch {
		case field.needed && strings.TrimSpace(field.text) == "":
			return fmt.Errorf("verified: %w: %q is empty", ErrInvalid, field.name)
		case len(field.text) > field.most:
			return fmt.Errorf("verified: %w: %q has %d bytes, more than %d", ErrInvalid, field.name, len(field.text), field.most)
		case !utf8.ValidString(field.text):
			return fmt.Errorf("verified: %w: %q is not UTF-8", ErrInvalid, field.name)
		}
	}
	return p.checkParameters()
}

// checkParameters returns an error that matches ErrInvalid if a literal of the statement
// may belong to several parameters.
func (p Pair) checkParameters() error {
	if len(p.Parameters) > maxParams {
		return fmt.Errorf("verified: %w: there are %d parameters, more than %d", ErrInvalid, len(p.Parameters), maxParams)
	}
	named := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(p.Parameters)) {
		literal := p.Parameters[name]
		switch other := named[literal]; {
		case strings.TrimSpace(name) == "" || len(name) > maxName || len(literal) > maxName ||
			!utf8.ValidString(name) || !utf8.ValidString(literal):
			return fmt.Errorf("verified: %w: the parameter %q has no usable name or literal", ErrInvalid, prompt.Clip(name, maxName))
		case other != "":
			return fmt.Errorf("verified: %w: the parameters %q and %q have the same literal %q", ErrInvalid, other, name, literal)
		}
		named[literal] = name
	}
	return nil
}

func newEntry(s status, p Pair) entry {
	return entry{Status: s, Pair: p, question: folded(p.Question), statement: folded(p.SQL)}
}

func (e *entry) sameQuestion(o *entry) bool { return e.Tenant == o.Tenant && e.question == o.question }

func (e *entry) same(o *entry) bool { return e.sameQuestion(o) && e.statement == o.statement }

func folded(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), " ")) }

// Propose adds a pair for a person to decide. A pair that is known already, in any
// state, is not changed. The error matches [ErrInvalid], [ErrFull] or [ErrChanged].
func (s *Set) Propose(p Pair) error { return s.change(newEntry(proposed, p)) }

// Approve makes a pair an example, whether it was proposed or not. It replaces an
// approved pair with the same question. By must name who approves. The error
// matches [ErrInvalid] or [ErrChanged].
func (s *Set) Approve(p Pair) error {
	if strings.TrimSpace(p.By) == "" {
		return fmt.Errorf("verified: %w: set By to the person who approves", ErrInvalid)
	}
	return s.change(newEntry(approved, p))
}

// Reject removes a pair, whether it was proposed or approved. It cannot be proposed
// again, but it can be approved. By may be empty. The error matches [ErrInvalid] or
// [ErrChanged].
func (s *Set) Reject(p Pair) error { return s.change(newEntry(rejected, p)) }

// Approved returns the approved pairs, oldest first.
func (s *Set) Approved() []Pair { return s.pairs(approved) }

// Proposed returns the pairs that wait for a decision, oldest first.
func (s *Set) Proposed() []Pair { return s.pairs(proposed) }

func (s *Set) pairs(of status) []Pair {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []Pair
	for _, e := range s.entries {
		if e.Status == of {
			found = append(found, e.Pair)
		}
	}
	return found
}

func (s *Set) change(e entry) error {
	if err := e.check(); err != nil {
		return err
	}
	if e.Time.IsZero() {
		e.Time = time.Now().UTC().Truncate(time.Second)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.Status == proposed {
		waiting := 0
		for _, known := range s.entries {
			if known.same(&e) {
				return nil
			}
			if known.Status == proposed {
				waiting++
			}
		}
		if waiting >= maxProposals {
			return fmt.Errorf("verified: %w: approve or reject some of the %d", ErrFull, waiting)
		}
	}
	if err := s.write(e); err != nil {
		return err
	}
	s.add(e)
	return nil
}

// add applies an entry. The last one about a pair counts.
func (s *Set) add(e entry) {
	s.entries = slices.DeleteFunc(s.entries, func(known entry) bool {
		return known.same(&e) || e.Status == approved && known.Status == approved && known.sameQuestion(&e)
	})
	s.entries = append(s.entries, e)
}

// Similar returns at most n approved pairs for a tenant whose questions are similar
// to a question, the most similar first. The error is that of ctx.
func (s *Set) Similar(ctx context.Context, tenant, question string, n int) ([]Pair, error) {
	var pairs []Pair
	var questions []string
	for _, p := range s.Approved() {
		if p.Tenant == "" || p.Tenant == tenant {
			pairs, questions = append(pairs, p), append(questions, p.Question)
		}
	}
	question = prompt.Clip(question, maxQuestion)
	order, err := s.byMeaning(ctx, question, questions)
	if err != nil {
		return nil, err
	}
	order = lists.Add(order, textmatch.Ranked(textmatch.Alike(question, questions))...)
	return lists.Map(order[:min(max(n, 0), len(order))], func(i int) Pair { return pairs[i] }), nil
}

// byMeaning returns the indices of the questions that are near in meaning, the
// nearest first. Without an Embedder it returns none.
func (s *Set) byMeaning(ctx context.Context, question string, questions []string) ([]int, error) {
	if s.embedder == nil || len(questions) == 0 || strings.TrimSpace(question) == "" {
		return nil, nil
	}
	near, err := vector.Nearness(ctx, s.embedder, question, questions)
	if done := ctx.Err(); done != nil {
		return nil, done
	}
	if err != nil {
		const message = "verified questions are compared by their words only, because the embedder failed: "
		qed.Emit(ctx, qed.Warning{Code: "memory_incomplete", Message: message + prompt.Clip(err.Error(), 300)})
		return nil, nil
	}
	for i := range near {
		if near[i] < vector.LeastNear {
			near[i] = 0
		}
	}
	return textmatch.Ranked(near), nil
}
