package qed

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

type copied struct {
	Name         string
	Nil, Empty   []string
	NilM, EmptyM map[string]string
	Inner        *copied
	Kids         []*copied
	Index        map[string]*copied
	Pairs        [2][]string
	Raw          json.RawMessage
	At           time.Time
	Rows         *Table   // has its own JSON
	Big          *big.Int // and cannot be copied otherwise
	embedded
}

type embedded struct{ List []int }

func sampleCopied(at time.Time) copied {
	return copied{
		Name: "top", Empty: []string{}, EmptyM: map[string]string{}, Inner: &copied{Name: "in", Kids: []*copied{}},
		Kids: []*copied{nil, {Name: "kid"}}, Index: map[string]*copied{"a": {Empty: []string{"x"}}},
		Pairs: [2][]string{{"x"}, nil}, Raw: json.RawMessage(`{}`), At: at, Big: big.NewInt(5),
		Rows: &Table{Columns: []Column{{Name: "n"}}, Rows: [][]any{{int64(1)}}}, embedded: embedded{[]int{1}},
	}
}

// A change of a copy, wherever it is, does not reach the original.
func TestCopySharesNothing(t *testing.T) {
	at := time.Now()
	equal := cmp.Options{cmp.AllowUnexported(copied{}), cmp.Comparer(func(a, b *big.Int) bool { return a == b || a != nil && b != nil && a.Cmp(b) == 0 })}
	s, own := sampleCopied(at), copied{}
	if err := newCopier[copied]()(&own, &s); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sampleCopied(at), own, equal); diff != "" {
		t.Fatal(diff)
	}
	if own.Nil != nil || own.Empty == nil || own.NilM != nil || own.EmptyM == nil || own.At != at {
		t.Errorf("the copy is another value: %+v", own)
	}
	own.EmptyM["new"], own.Inner.Name, own.Kids[1].Name, own.Kids[0] = "new", "new", "new", &copied{}
	own.Index["a"].Empty[0], own.Index["b"], own.Pairs[0][0], own.Raw[0] = "new", nil, "new", 'x'
	own.Rows.Rows[0][0], own.Rows.Columns[0].Name, own.List[0] = "new", "new", 9
	own.Big.SetInt64(9)
	if diff := cmp.Diff(sampleCopied(at), s, equal); diff != "" {
		t.Errorf("the original changed: %s", diff)
	}
}

type hidden struct{ n int }

func (h *hidden) MarshalText() ([]byte, error) { return []byte{byte('0' + h.n)}, nil }
func (h *hidden) UnmarshalText(b []byte) error { h.n = int(b[0] - '0'); return nil }

// A type with its own JSON is copied in a field, also if it is embedded elsewhere.
func TestCopyOfAnEmbeddedCodec(t *testing.T) {
	type holds struct{ hidden }
	type first struct {
		Field hidden
		Holds holds
	}
	type last struct {
		Holds holds
		Field hidden
	}
	one, two := first{hidden{1}, holds{hidden{2}}}, last{holds{hidden{2}}, hidden{1}}
	ownOne, ownTwo := first{}, last{}
	if err := newCopier[first]()(&ownOne, &one); err != nil || ownOne != one {
		t.Errorf("got %v, %v", ownOne, err)
	}
	if err := newCopier[last]()(&ownTwo, &two); err != nil || ownTwo != two {
		t.Errorf("got %v, %v", ownTwo, err)
	}
}

type cloned struct{ By func() string }

func (c cloned) Clone() cloned { return cloned{func() string { return "Clone" }} }

func TestCopyByClone(t *testing.T) {
	var own cloned
	if err := newCopier[cloned]()(&own, &cloned{}); err != nil || own.By() != "Clone" {
		t.Errorf("got %v, %v", own, err)
	}
}

func TestCopyOfWhatContainsItself(t *testing.T) {
	s, own := &copied{}, &copied{}
	s.Inner = s
	if err := newCopier[copied]()(own, s); err == nil || !strings.Contains(err.Error(), "contain itself") {
		t.Errorf("got %v", err)
	}
}
