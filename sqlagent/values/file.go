package values

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/strictjson"
	"github.com/qedkit/qed/joinpath/privacy"
)

// fileMark begins a file. It has the version of the format, and of the index in it.
const fileMark = "qed values 2\n"

const maxFileBytes = 1 << 30

// header is what a file has before the index, as JSON.
type header struct {
	Owner    Caller            `json:"owner"`
	Shared   bool              `json:"shared,omitempty"`
	Columns  []Column          `json:"columns"` // without values: the index has them
	LeftOut  []privacy.LeftOut `json:"left_out,omitempty"`
	Problems []Problem         `json:"problems,omitempty"`
}

// Save writes the dictionary to a file, without vectors. The file is replaced in one
// step: a reader never sees half of it, and if Save fails the earlier file stays.
// Only the account of the process can read a new file. The file has the index of the
// values too, so that [Load] takes a fraction of the time of [Reader.Read].
func (d *Dictionary) Save(path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("values: %w", err)
	}
	err = d.write(f)
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

// write writes the mark, sections, and the CRC-32 of both.
func (d *Dictionary) write(f io.Writer) error {
	h := header{d.owner, d.shared, slices.Concat([]Column{}, d.columns), d.leftOut, d.problems}
	for i := range h.Columns {
		h.Columns[i].Values = nil
	}
	head, err := json.Marshal(h)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(f, 1<<20)
	sum := crc32.NewIEEE()
	w := &fileWriter{out: io.MultiWriter(out, sum)}
	w.write([]byte(fileMark))
	w.section(head)
	w.texts(d.index.values)
	w.lists(d.index.inColumns)
	w.ints(d.index.forms)
	w.texts(d.index.words)
	w.lists(d.index.wordsOf)
	w.ints(d.index.byStem)
	w.ints(d.index.byEnd)
	var groups []byte
	for _, group := range d.index.trigrams.Groups {
		groups = binary.LittleEndian.AppendUint64(groups, group)
	}
	w.section(groups)
	w.lists(lists{d.index.trigrams.At, d.index.trigrams.Words})
	w.section(d.index.trigrams.Lengths)
	w.write(binary.LittleEndian.AppendUint32(nil, sum.Sum32()))
	return cmp.Or(w.err, out.Flush())
}

// A fileWriter writes sections: the number of bytes, as 4 bytes in little-endian order,
// and the bytes.
type fileWriter struct {
	out io.Writer
	err error // of the first write that failed
}

func (w *fileWriter) write(b []byte) {
	if w.err == nil {
		_, w.err = w.out.Write(b)
	}
}

func (w *fileWriter) section(b []byte) {
	if len(b) > maxFileBytes {
		w.err = cmp.Or(w.err, errTooLarge)
	}
	w.write(binary.LittleEndian.AppendUint32(nil, uint32(len(b))))
	w.write(b)
}

func (w *fileWriter) ints(ids []int32) {
	b := make([]byte, 0, 4*len(ids))
	for _, id := range ids {
		b = binary.LittleEndian.AppendUint32(b, uint32(id))
	}
	w.section(b)
}

func (w *fileWriter) lists(l lists) {
	w.ints(l.at)
	w.ints(l.ids)
}

// texts writes the ends of texts, and the bytes of all.
func (w *fileWriter) texts(texts []string) {
	ends, n := make([]int32, len(texts)), 0
	for i, t := range texts {
		n += len(t)
		ends[i] = int32(n)
	}
	w.ints(ends)
	w.section([]byte(strings.Join(texts, "")))
}

// Load reads a file that [Dictionary.Save] wrote. The error matches [ErrFormat] if
// the file has anything else; read the values again then.
func Load(path string) (*Dictionary, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("values: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("values: %w", err)
	}
	data := make([]byte, min(info.Size(), maxFileBytes+1))
	if _, err := io.ReadFull(f, data); err != nil {
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
	const sumSize = 4
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
	r := &fileReader{rest: rest[:len(rest)-sumSize]}
	var h header
	if err := strictjson.Decode(r.section(), &h); err != nil {
		return nil, err
	}
	d := &Dictionary{owner: h.Owner, shared: h.Shared, columns: h.Columns, leftOut: h.LeftOut, problems: h.Problems}
	if d.index = r.index(h.Columns); r.wrong || len(r.rest) > 0 {
		return nil, errDamaged
	}
	return d, d.check()
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
	for i, v := range d.index.values {
		if len(v) > longestValue || !plain(v) {
			return fmt.Errorf("value %d is not a text on one line", i)
		}
	}
	return nil
}
