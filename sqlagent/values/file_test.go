package values

import (
	"errors"
	"path/filepath"
	"testing"
	"time"
)

// A file with a word that a group of letters has many times is refused: a search counts
// the groups of a word.
func TestLoadRefusesWordsTwice(t *testing.T) {
	columns := []Column{{Table: "port", Column: "name", Read: time.Now(), Values: []string{"northern", "southern"}}}
	d := &Dictionary{columns: columns, index: newIndex(columns)}
	path := filepath.Join(t.TempDir(), "values")
	if err := d.Save(path); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path); err != nil {
		t.Fatal(err)
	}
	x := d.index.Trigrams
	for range 300 {
		x.Words = append(x.Words, x.Words[len(x.Words)-1])
	}
	x.At[len(x.At)-1] = int32(len(x.Words))
	if err := d.Save(path); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path); !errors.Is(err, ErrFormat) {
		t.Errorf("got %v", err)
	}
}
