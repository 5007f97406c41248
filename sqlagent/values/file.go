package values

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/qedkit/qed/joinpath/privacy"
)

// A file has the mark with the version of the format, a saved as package gob encodes it,
// and the CRC-32 of both.
const (
	fileMark     = "qed values 3\n"
	sumSize      = 4
	maxFileBytes = 1 << 30
)

// saved is what a file has of a dictionary.
type saved struct {
	Owner    Caller
	Shared   bool
	Columns  []Column // without values: the index has them
	LeftOut  []privacy.LeftOut
	Problems []Problem // without their Err
	Index    *index
}

// Save writes the dictionary to a file. The file is replaced in one step: a reader never
// sees half of it, and if Save fails the earlier file stays.
// Only the account of the process can read a new file. The file has the index of the
// values too, so that [Load] takes a fraction of the time of [Reader.Read].
func (d *Dictionary) Save(path string) error {
	s := saved{d.owner, d.shared, slices.Clone(d.columns), d.leftOut, slices.Clone(d.problems), d.index}
	for i := range s.Columns {
		s.Columns[i].Values = nil
	}
	for i := range s.Problems {
		s.Problems[i].Err = nil
	}
	file := bytes.NewBufferString(fileMark)
	if err := gob.NewEncoder(file).Encode(s); err != nil {
		return fmt.Errorf("values: %w", err)
	}
	data := binary.LittleEndian.AppendUint32(file.Bytes(), crc32.ChecksumIEEE(file.Bytes()))
	if len(data) > maxFileBytes {
		return fmt.Errorf("values: %w", errTooLarge)
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("values: %w", err)
	}
	if _, err = f.Write(data); err == nil {
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
	data, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err != nil {
		return nil, fmt.Errorf("values: %w", err)
	}
	d, err := decode(data)
	if err != nil {
		return nil, fmt.Errorf("values: %s: %w: %w", filepath.Base(path), ErrFormat, err)
	}
	return d, nil
}

var (
	errTooLarge = fmt.Errorf("it has more than %d bytes", maxFileBytes)
	errDamaged  = errors.New("it is damaged")
)

func decode(data []byte) (*Dictionary, error) {
	if len(data) > maxFileBytes {
		return nil, errTooLarge
	}
	rest, ok := bytes.CutPrefix(data, []byte(fileMark))
	if !ok || len(rest) < sumSize {
		return nil, errors.New("it does not begin as a dictionary of this version")
	}
	end := len(data) - sumSize
	if crc32.ChecksumIEEE(data[:end]) != binary.LittleEndian.Uint32(data[end:]) {
		return nil, errDamaged
	}
	var s saved
	content := bytes.NewReader(rest[:len(rest)-sumSize])
	if err := gob.NewDecoder(content).Decode(&s); err != nil {
		return nil, err
	}
	d := &Dictionary{
		owner: s.Owner, shared: s.Shared, columns: s.Columns, leftOut: s.LeftOut, problems: s.Problems, index: s.Index,
	}
	if content.Len() > 0 || !d.index.isWhole(len(d.columns)) {
		return nil, errDamaged
	}
	d.index.complete(d.columns)
	return d, d.check()
}

// isWhole reports whether the numbers in the lists of an index, which may be nil, are those
// of its texts and of so many columns.
func (x *index) isWhole(columns int) bool {
	if x == nil || x.Trigrams == nil {
		return false
	}
	t, words := x.Trigrams, len(x.Words)
	return slices.IsSorted(x.Values) && slices.IsSorted(x.Words) && x.InColumns.isWhole(len(x.Values), columns) &&
		areBelow(x.Forms, len(x.Values)) && x.WordsOf.isWhole(len(x.Forms), words) &&
		len(x.ByStem) == words && areBelow(x.ByStem, words) && len(x.ByEnd) == words && areBelow(x.ByEnd, words) &&
		lists{t.At, t.Words}.isWhole(len(t.Groups), words) && lists{t.At, t.Words}.ascend() && len(t.Lengths) == words
}

// isWhole reports whether l has n lists of numbers below a limit.
func (l lists) isWhole(n, limit int) bool {
	return len(l.At) == n+1 && l.At[0] == 0 && slices.IsSorted(l.At) &&
		int(l.At[n]) == len(l.IDs) && areBelow(l.IDs, limit)
}

// ascend reports whether no list has a number twice, and each is sorted.
func (l lists) ascend() bool {
	for i := range len(l.At) - 1 {
		for j := l.At[i] + 1; j < l.At[i+1]; j++ {
			if l.IDs[j] <= l.IDs[j-1] {
				return false
			}
		}
	}
	return true
}

func areBelow(ids []int32, limit int) bool {
	return !slices.ContainsFunc(ids, func(id int32) bool { return id < 0 || int(id) >= limit })
}

// complete adds what a file does not have to an index, and the values to its columns.
func (x *index) complete(columns []Column) {
	x.columns, x.formsOf = namesOf(columns), x.WordsOf.inverse(len(x.Words))
	of := x.InColumns.inverse(len(columns))
	for i := range columns {
		for _, id := range of.of(int32(i)) { // in the order of the values, which are sorted
			columns[i].Values = append(columns[i].Values, x.Values[id])
		}
	}
}

// check returns an error for a dictionary that no reader returns.
func (d *Dictionary) check() error {
	if d.shared && d.owner != (Caller{}) {
		return errors.New("it is shared and has an owner")
	}
	for i, c := range d.columns {
		switch {
		case i > 0 && byName(d.columns[i-1], c) >= 0:
			return fmt.Errorf("column %d is not sorted", i)
		case c.Table == "" || c.Column == "":
			return fmt.Errorf("column %d has no name", i)
		case c.Read.IsZero():
			return fmt.Errorf("column %d has no time", i)
		case c.Skipped < 0 || c.Rows < 0 || len(c.Values) > mostValues || c.Many && len(c.Values) > 0:
			return fmt.Errorf("the numbers of column %d are wrong", i)
		}
	}
	for i, v := range d.index.Values {
		if len(v) > longestValue || !plain(v) {
			return fmt.Errorf("value %d is not a text on one line", i)
		}
	}
	return nil
}
