package qed

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

type nested struct {
	Name  string
	List  []int
	Inner *nested
	Kids  []*nested
	Index map[string]*nested
	Pairs [2][]string
	At    time.Time
	Rows  *Table
	Big   *big.Int
	Raw   json.RawMessage
	Own   cloned
	OwnP  *pointerCloned
}

type cloned struct{ By []string }

func (c cloned) Clone() cloned { return cloned{append([]string{"cloned"}, c.By...)} }

type pointerCloned struct{ By []string }

func (c *pointerCloned) Clone() *pointerCloned {
	return &pointerCloned{append([]string{"cloned"}, c.By...)}
}

func sample() nested {
	return nested{
		Name: "top", List: []int{1, 2}, Inner: &nested{List: []int{3}}, Kids: []*nested{nil, {Name: "kid"}},
		Index: map[string]*nested{"a": {List: []int{4}}}, Pairs: [2][]string{{"x"}, nil}, At: time.Now(),
		Rows: &Table{Columns: []Column{{Name: "n"}}, Rows: [][]any{{int64(1)}}}, Big: big.NewInt(5), Raw: json.RawMessage(`{}`),
	}
}

func TestCopySharesNothing(t *testing.T) {
	s := sample()
	fork := s
	if err := copier[nested]()(&fork); err != nil {
		t.Fatal(err)
	}
	equal := cmp.Options{cmp.Comparer(func(a, b *big.Int) bool { return a == b || a != nil && b != nil && a.Cmp(b) == 0 })}
	want := sample()
	want.At = s.At
	want.Own.By = []string{"cloned"}
	want.Inner.Own.By, want.Kids[1].Own.By, want.Index["a"].Own.By = want.Own.By, want.Own.By, want.Own.By
	if diff := cmp.Diff(want, fork, equal); diff != "" {
		t.Fatal(diff)
	}
	if fork.At != s.At {
		t.Error("a time is another one, with its zone or its clock")
	}
	fork.List[0], fork.Inner.List[0], fork.Kids[1].Name, fork.Index["a"].List[0] = 9, 9, "new", 9
	fork.Index["b"], fork.Pairs[0][0], fork.Rows.Rows[0][0], fork.Rows.Columns[0].Name = nil, "new", "new", "new"
	fork.Big.SetInt64(9)
	fork.Raw[0] = 'x'
	want = sample()
	want.At = s.At
	if diff := cmp.Diff(want, s, equal); diff != "" {
		t.Errorf("the original changed: %s", diff)
	}
}

func TestCopyKeepsNilAndEmptyApart(t *testing.T) {
	type state struct {
		Nil, Empty   []string
		NilM, EmptyM map[string]string
		NilI, EmptyI []uint8
		Deep, DeepE  map[int][]trivial
	}
	s := state{Empty: []string{}, EmptyM: map[string]string{}, EmptyI: []uint8{}, DeepE: map[int][]trivial{}}
	fork := s
	if err := copier[state]()(&fork); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(s, fork); diff != "" {
		t.Error(diff)
	}
}

type trivial struct{ N int }

func TestCopyByClone(t *testing.T) {
	s := cloned{}
	if err := copier[cloned]()(&s); err != nil || len(s.By) != 1 {
		t.Errorf("got %v, %v", s, err)
	}
	p := &pointerCloned{}
	original := p
	if err := copier[*pointerCloned]()(&p); err != nil || len(p.By) != 1 || p == original {
		t.Errorf("got %v, %v", p, err)
	}
	type holder struct {
		P *pointerCloned
		V pointerCloned
	}
	h := holder{P: &pointerCloned{}}
	if err := copier[holder]()(&h); err != nil || len(h.P.By) != 1 || len(h.V.By) != 1 {
		t.Errorf("got %v, %v", h, err)
	}
}

func TestCopyOfWhatHoldsItself(t *testing.T) {
	s := &nested{}
	s.Inner = s
	if err := copier[*nested]()(&s); err == nil || !strings.Contains(err.Error(), "hold itself") {
		t.Errorf("got %v", err)
	}
}

func TestCopyOfWhatCannotBeCopied(t *testing.T) {
	s := struct{ F func() }{}
	if err := copier[struct{ F func() }]()(&s); err == nil {
		t.Error("a function was copied")
	}
}

// A state as an agent has it, copied for a branch or a retry.
func BenchmarkCopy(b *testing.B) {
	type state struct {
		Question string
		Tables   []string
		Notes    map[string]string
		Queries  []Query
	}
	s := state{"q", []string{"a", "b", "c"}, map[string]string{"a": "b"}, []Query{{Views: []string{"v"}}, {JoinPath: []string{"j"}}}}
	deepen := copier[state]()
	b.ReportAllocs()
	for b.Loop() {
		fork := s
		if err := deepen(&fork); err != nil {
			b.Fatal(err)
		}
	}
}
