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
	fileMark     = "qed values 4\n"
	sumSize      = 4
	maxFileBytes = 1 << 30
)

// saved is what a file has of a dictionary.
type saved struct {
	Owner    Caller
	Shared   bool
	Columns  []Column
	LeftOut  []privacy.LeftOut
	Problems []Problem // without their Err
}

// Save writes the dictionary to a file. The file is replaced in one step: a reader never
// sees half of it, and if Save fails the earlier file stays.
// Only the account of the process can read a new file.
func (d *Dictionary) Save(path string) error {
	s := saved{d.owner, d.shared, d.columns, d.leftOut, slices.Clone(d.problems)}
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
	if content.Len() > 0 {
		return nil, errDamaged
	}
	d := &Dictionary{owner: s.Owner, shared: s.Shared, columns: s.Columns, leftOut: s.LeftOut, problems: s.Problems}
	if err := d.check(); err != nil {
		return nil, err
	}
	d.index = newIndex(d.columns)
	return d, nil
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
		for j, v := range c.Values {
			if len(v) > longestValue || !plain(v) || j > 0 && c.Values[j-1] >= v {
				return fmt.Errorf("value %d of column %d is not a text on one line, or not sorted", j, i)
			}
		}
	}
	return nil
}
