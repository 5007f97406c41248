package estest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/qedkit/qed/internal/prompt"
)

// ErrChanged is matched by the error of [Compare] if the recordings differ.
var ErrChanged = errors.New("estest: the engine's responses have changed")

// Compare compares two recordings of the same requests: before is the recording that
// is kept, after is a new one. It returns nil if they are equal. Otherwise the error
// matches [ErrChanged] and lists the differences: other responses, new requests and
// missing requests. The order of different requests does not matter.
func Compare(before, after io.Reader) error {
	was, err := read(before)
	if err != nil {
		return err
	}
	is, err := read(after)
	if err != nil {
		return err
	}
	fresh := make(map[string][]*exchange)
	for _, x := range is {
		fresh[x.key()] = append(fresh[x.key()], x)
	}
	var changes []string
	for _, x := range was {
		left := fresh[x.key()]
		if len(left) == 0 {
			changes = append(changes, x.name()+" is not requested any more: "+short(string(x.Body)))
			continue
		}
		fresh[x.key()] = left[1:]
		if left[0].Status != x.Status {
			changes = append(changes,
				fmt.Sprintf("%s has the status %d; the recorded status is %d", x.name(), left[0].Status, x.Status))
		} else if d := differences(x.Response, left[0].Response,
			"recorded", "now") + textDifference(x.Text, left[0].Text); d != "" {
			changes = append(changes, x.name()+" has another response:"+d)
		}
	}
	for _, x := range is {
		if left := fresh[x.key()]; len(left) > 0 && left[0] == x {
			fresh[x.key()] = left[1:]
			changes = append(changes, x.name()+" was not recorded: "+short(string(x.Body)))
		}
	}
	if len(changes) == 0 {
		return nil
	}
	return fmt.Errorf("%w:\n%s", ErrChanged, strings.Join(changes, "\n"))
}

func textDifference(before, after string) string {
	if before == after {
		return ""
	}
	return "\n  recorded " + short(before) + ", now " + short(after)
}

// leaves returns the values of a JSON text that are not objects or lists, and the
// empty ones of those, by their JSON Pointer.
func leaves(raw json.RawMessage) map[string]string {
	found := make(map[string]string)
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) == nil {
		collect(found, "", v)
	}
	return found
}

func collect(found map[string]string, at string, v any) {
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			found[at] = "{}"
		}
		for key, value := range v {
			collect(found, at+"/"+strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1"), value)
		}
	case []any:
		if len(v) == 0 {
			found[at] = "[]"
		}
		for i, value := range v {
			collect(found, at+"/"+strconv.Itoa(i), value)
		}
	default:
		text, err := encode(v)
		if err == nil { // always: v was decoded from JSON
			found[at] = string(text)
		}
	}
}

// differences lists the first differences of two JSON texts.
func differences(a, b json.RawMessage, nameA, nameB string) string {
	was, is := leaves(a), leaves(b)
	all := maps.Clone(was)
	maps.Copy(all, is)
	var out strings.Builder
	n := 0
	for _, at := range slices.Sorted(maps.Keys(all)) {
		before, after := was[at], is[at]
		if before == after {
			continue
		}
		if n++; n > maxDifferences {
			out.WriteString("\n  and more differences")
			break
		}
		fmt.Fprintf(&out, "\n  %s: %s %s, %s %s", cmp.Or(at, "/"), nameA, orNothing(before), nameB, orNothing(after))
	}
	return out.String()
}

const maxDifferences = 8

func orNothing(s string) string {
	if s == "" {
		return "nothing"
	}
	return short(s)
}

func short(s string) string { return prompt.Clip(s, maxShown) }

const maxShown = 300
