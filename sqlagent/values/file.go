package values

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/strictjson"
	"github.com/qedkit/qed/internal/textmatch"
	"github.com/qedkit/qed/joinpath/privacy"
)

// fileVersion is the version of the file that this package reads and writes.
const fileVersion = 1

const maxFileBytes = 256 << 20

// file is the form of a Dictionary in a file.
type file struct {
	Version  int               `json:"version"`
	Owner    Caller            `json:"owner"`
	Shared   bool              `json:"shared,omitempty"`
	Columns  []Column          `json:"columns"`
	LeftOut  []privacy.LeftOut `json:"left_out,omitempty"`
	Problems []Problem         `json:"problems,omitempty"`
}

// Save writes the dictionary to a file, without vectors. The file is replaced in one
// step: a reader never sees half of it, and if Save fails the earlier file stays.
// Only the account of the process can read a new file.
func (d *Dictionary) Save(path string) error {
	text, err := json.Marshal(file{
		Version: fileVersion, Owner: d.owner, Shared: d.shared, Columns: slices.Concat([]Column{}, d.columns),
		LeftOut: d.leftOut, Problems: d.problems,
	})
	if err != nil {
		return fmt.Errorf("values: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("values: %w", err)
	}
	_, err = f.Write(append(text, '\n'))
	if err == nil {
		err = f.Sync()
	}
	err = cmp.Or(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("values: %w", err)
	}
	return nil
}

// Load reads a file that [Dictionary.Save] wrote. The error matches [ErrFormat] if
// the file has anything else; read the values again then.
func Load(path string) (*Dictionary, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("values: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err != nil {
		return nil, fmt.Errorf("values: %w", err)
	}
	d, err := decode(text)
	if err != nil {
		return nil, fmt.Errorf("values: %s: %w: %w", filepath.Base(path), ErrFormat, err)
	}
	return d, nil
}

func decode(text []byte) (*Dictionary, error) {
	if len(text) > maxFileBytes {
		return nil, fmt.Errorf("it has more than %d bytes", maxFileBytes)
	}
	var head struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, err
	}
	if head.Version != fileVersion {
		return nil, fmt.Errorf("it has version %d, want %d", head.Version, fileVersion)
	}
	var in file
	if err := strictjson.Decode(text, &in); err != nil {
		return nil, err
	}
	if in.Shared && in.Owner != (Caller{}) {
		return nil, fmt.Errorf("it is shared and has an owner")
	}
	for i, c := range in.Columns {
		if i > 0 && byName(in.Columns[i-1], c) >= 0 {
			return nil, fmt.Errorf("column %d is not sorted", i)
		}
		if err := c.check(); err != nil {
			return nil, fmt.Errorf("column %d: %w", i, err)
		}
	}
	return &Dictionary{
		owner: in.Owner, shared: in.Shared, columns: in.Columns, leftOut: in.LeftOut, problems: in.Problems,
		index: newIndex(in.Columns),
	}, nil
}

// check returns an error for a column that no reader returns.
func (c *Column) check() error {
	switch {
	case c.Table == "" || c.Column == "":
		return fmt.Errorf("it has no name")
	case c.Read.IsZero():
		return fmt.Errorf("it has no time")
	case c.Skipped < 0 || len(c.Values) > mostValues || c.Many && len(c.Values) > 0:
		return fmt.Errorf("its numbers are wrong")
	}
	for i, v := range c.Values {
		switch {
		case i > 0 && strings.Compare(c.Values[i-1], v) >= 0:
			return fmt.Errorf("value %d is not sorted", i)
		case len(v) > longestValue || !plain(v) || textmatch.Fold(v) == "":
			return fmt.Errorf("value %d is not a text on one line", i)
		}
	}
	return nil
}
