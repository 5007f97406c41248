package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"strconv"
)

// Each decodes the entries of a list one at a time: an empty one has three bytes in a
// reply, and needs far more memory when it is decoded.
func Each[T any](raw []byte) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		list := json.NewDecoder(bytes.NewReader(raw))
		if t, err := list.Token(); err != nil || t != json.Delim('[') {
			yield(nil, Malformed("the reply has a value that is not a list where a list belongs"))
			return
		}
		for list.More() {
			var one T
			if err := list.Decode(&one); !yield(&one, err) || err != nil {
				return
			}
		}
	}
}

// A List is a list in a reply. Some servers send null, or {}, for an empty one.
type List[T any] []T

// UnmarshalJSON implements [json.Unmarshaler].
func (l *List[T]) UnmarshalJSON(raw []byte) error {
	*l = nil
	if raw[0] != '[' {
		return nil
	}
	for one, err := range Each[T](raw) {
		if err == nil && len(*l) == MaxCalls {
			err = tooMany("parts of one kind, such as tool calls")
		}
		if err != nil {
			return err
		}
		*l = append(*l, *one)
	}
	return nil
}

// IsNull reports whether a member is absent or null.
func IsNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// A Malformed is what is wrong with a reply that does not follow the protocol.
// [Call.Error] converts it.
type Malformed string

// Error implements error.
func (m Malformed) Error() string { return string(m) }

// tooMany is the error for more than MaxCalls of something.
func tooMany(things string) error {
	return Malformed(fmt.Sprintf("the reply has more than %d %s", MaxCalls, things))
}

// A Number is a number. Some servers send it as a text, or with a fraction. What is
// none is 0.
type Number int64

// UnmarshalJSON implements [json.Unmarshaler].
func (n *Number) UnmarshalJSON(raw []byte) error {
	f, err := strconv.ParseFloat(string(bytes.Trim(raw, `"`)), 64)
	if err == nil && !math.IsNaN(f) {
		*n = Number(min(max(f, math.MinInt32), math.MaxInt32))
	}
	return nil
}
