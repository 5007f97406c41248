package rag

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"math"
	"os"
	"slices"

	"github.com/qedkit/qed/internal/textmatch"
	"github.com/qedkit/qed/internal/vector"
)

// ErrCorrupt is matched by the error of [OpenMemory] for a file that cannot be used.
var ErrCorrupt = errors.New("not an index file, or a damaged one: delete it and add the documents again")

// fileHeader begins a file. After it come records: a frame, and the payload. A frame
// has three numbers of 4 bytes in little-endian order: the length of the payload,
// its CRC-32C, and the CRC-32C of the two numbers and of the frame's position in the
// file. A payload is one change. Numbers in it are varints, and texts follow their
// lengths.
const (
	fileHeader = "qed rag index 2\n"
	frameSize  = 12
)

// sector is how many bytes a disk writes at once, at least. Of a record that was
// being written when the machine stopped, whole sectors can be zero.
const sector = 512

// The first byte of a payload.
const (
	recordPut    = 'p' // document, dimensions, new words, rows
	recordDelete = 'd' // document
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A logFile is the file of a Memory.
type logFile struct {
	file    *os.File
	size    int64
	words   int // the number of words that are in the file
	written []byte
	arena   []textmatch.Weight // memory for the words of many rows
}

// open reads the file at path, creates it, or writes it anew if most of it is
// about removed chunks.
func (m *Memory) open(path string) (err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return bare(err)
	}
	m.file = &logFile{file: f}
	removed, err := m.replay()
	if err == nil && removed > m.alive()+1000 {
		err = m.rewrite(path)
	}
	if err != nil {
		m.file.file.Close()
	}
	return err
}

// replay applies all records. It returns the number of rows that later records
// removed.
func (m *Memory) replay() (removed int, err error) {
	info, err := m.file.file.Stat()
	if err != nil {
		return 0, err
	}
	if info.Size() < int64(len(fileHeader)) {
		head := make([]byte, info.Size())
		if _, err := io.ReadFull(m.file.file, head); err != nil || string(head) != fileHeader[:len(head)] {
			return 0, errors.Join(err, ErrCorrupt)
		}
		_, err := m.file.file.WriteAt([]byte(fileHeader), 0)
		m.file.size = int64(len(fileHeader))
		return 0, err
	}
	r := bufio.NewReaderSize(m.file.file, 1<<20)
	head := make([]byte, len(fileHeader))
	if _, err := io.ReadFull(r, head); err != nil || string(head) != fileHeader {
		return 0, errors.Join(err, ErrCorrupt)
	}
	m.file.size = int64(len(fileHeader))
	var frame [frameSize]byte
	var payload []byte
	rows := 0
	m.opening = true
	for left := info.Size() - m.file.size; left >= frameSize; left = info.Size() - m.file.size {
		if _, err := io.ReadFull(r, frame[:]); err != nil {
			return 0, err
		}
		left -= frameSize
		if binary.LittleEndian.Uint32(frame[8:]) != frameSum(frame, m.file.size) {
			if unwritten, err := m.file.unwritten(info.Size()); !unwritten {
				return 0, errors.Join(err, fmt.Errorf("%w: the record at byte %d", ErrCorrupt, m.file.size))
			}
			break
		}
		length := int64(binary.LittleEndian.Uint32(frame[:4]))
		if length > left {
			break // cut off
		}
		payload = slices.Grow(payload[:0], int(length))[:length]
		if _, err := io.ReadFull(r, payload); err != nil {
			return 0, err
		}
		if crc32.Checksum(payload, castagnoli) != binary.LittleEndian.Uint32(frame[4:]) {
			if length == left && torn(payload, m.file.size+frameSize) {
				break
			}
			return 0, fmt.Errorf("%w: the record at byte %d", ErrCorrupt, m.file.size)
		}
		n, err := m.replayRecord(payload)
		if err != nil {
			return 0, fmt.Errorf("%w: the record at byte %d", err, m.file.size)
		}
		rows += n
		m.file.size += frameSize + length
	}
	m.lexical.AddAll(m.loading)
	m.loading, m.opening, m.file.arena = nil, false, nil
	m.file.words = m.lexical.Known()
	return rows - m.alive(), m.file.file.Truncate(m.file.size)
}

// frameSum returns the checksum of a frame at a position of the file.
func frameSum(frame [frameSize]byte, at int64) uint32 {
	binary.LittleEndian.PutUint32(frame[8:], uint32(at))
	return crc32.Checksum(frame[:], castagnoli)
}

// unwritten reports whether nothing but the beginning of the frame at f.size was
// written when the machine stopped: from a sector within or right before the frame
// to the end of the file all bytes are zero.
func (f *logFile) unwritten(end int64) (bool, error) {
	from := f.size
	if next := (f.size + sector - 1) / sector * sector; next < f.size+frameSize {
		from = next
	}
	r := bufio.NewReaderSize(io.NewSectionReader(f.file, from, end-from), 1<<16)
	for {
		switch b, err := r.ReadByte(); {
		case err == io.EOF:
			return true, nil
		case err != nil || b != 0:
			return false, err
		}
	}
}

// torn reports whether the bytes of a sector are missing in a payload that begins at
// a position of the file.
func torn(payload []byte, at int64) bool {
	for len(payload) > 0 {
		n := min(int(sector-at%sector), len(payload))
		if len(bytes.TrimLeft(payload[:n], "\x00")) == 0 {
			return true
		}
		payload, at = payload[n:], at+int64(n)
	}
	return false
}

// replayRecord applies one record and returns the number of its rows.
func (m *Memory) replayRecord(payload []byte) (n int, err error) {
	if len(payload) == 0 {
		return 0, ErrCorrupt
	}
	d := decoder{rest: payload[1:], arena: m.file.arena}
	defer func() { m.file.arena = d.arena }()
	document := d.text()
	if payload[0] == recordDelete {
		if d.bad || len(d.rest) > 0 {
			return 0, ErrCorrupt
		}
		m.apply(document, nil)
		return 0, nil
	}
	dimensions := d.number()
	for range d.count(1) {
		m.lexical.ID(d.text())
	}
	rows := make([]row, d.count(4*max(1, dimensions)))
	for i := range rows {
		rows[i] = d.row(document, dimensions, m.lexical.Known())
	}
	if payload[0] != recordPut || d.bad || len(d.rest) > 0 || len(rows) == 0 {
		return 0, ErrCorrupt
	}
	if m.alive() > 0 && dimensions != m.dimensions {
		return 0, ErrCorrupt
	}
	m.apply(document, rows)
	return len(rows), nil
}

// rewrite writes a file with what m holds in place of the one at path.
func (m *Memory) rewrite(path string) error {
	f, err := os.OpenFile(path+".new", os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return bare(err)
	}
	fresh := &Memory{documents: map[string][]int{}, lexical: textmatch.NewLexical(nil, textmatch.LengthLoss), file: &logFile{file: f}}
	err = fresh.copyFrom(m)
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = os.Rename(path+".new", path)
	}
	if err != nil {
		f.Close()
		os.Remove(path + ".new")
		return err
	}
	m.file.file.Close()
	m.dimensions, m.slots, m.documents, m.dead, m.blocks, m.lexical, m.file =
		fresh.dimensions, fresh.slots, fresh.documents, fresh.dead, fresh.blocks, fresh.lexical, fresh.file
	return nil
}

// copyFrom adds all documents of another Memory to m and its file.
func (m *Memory) copyFrom(from *Memory) error {
	if _, err := m.replay(); err != nil {
		return err
	}
	weights := from.lexical.Weights()
	for i := 0; i < len(from.slots); i++ {
		c := from.slots[i]
		if c == nil {
			continue
		}
		at := from.documents[c.Document]
		if at[0] != i {
			continue // written with the first chunk of its document
		}
		rows := make([]row, len(at))
		for j, slot := range at {
			rows[j] = row{chunk: from.slots[slot], weights: weights[slot]}
			for k, w := range rows[j].weights {
				rows[j].weights[k].Word = m.lexical.ID(from.lexical.Word(w.Word))
			}
			if from.dimensions > 0 {
				rows[j].vector = from.row(slot)
			}
		}
		if err := m.file.put(c.Document, rows, m.lexical); err != nil {
			return err
		}
		m.apply(c.Document, rows)
	}
	return nil
}

func (f *logFile) put(document string, rows []row, words *textmatch.Lexical) error {
	e := encoder{append(f.written[:0], make([]byte, frameSize)...)}
	e.b = append(e.b, recordPut)
	e.text(document)
	e.number(len(rows[0].vector))
	e.number(words.Known() - f.words)
	for id := f.words; id < words.Known(); id++ {
		e.text(words.Word(int32(id)))
	}
	e.number(len(rows))
	for _, r := range rows {
		e.row(r)
	}
	err := f.append(e.b)
	if err == nil {
		f.words = words.Known()
	}
	return err
}

func (f *logFile) delete(document string) error {
	e := encoder{append(f.written[:0], make([]byte, frameSize)...)}
	e.b = append(e.b, recordDelete)
	e.text(document)
	return f.append(e.b)
}

// append writes a record whose frame is still empty. If that fails, the file is as
// before.
func (f *logFile) append(record []byte) error {
	f.written = record
	if cap(record) > 1<<20 {
		f.written = nil
	}
	payload := record[frameSize:]
	if len(payload) > math.MaxInt32 {
		return fmt.Errorf("%w: the document takes more than 2 GiB in an index file", ErrTooLarge)
	}
	binary.LittleEndian.PutUint32(record, uint32(len(payload)))
	binary.LittleEndian.PutUint32(record[4:], crc32.Checksum(payload, castagnoli))
	binary.LittleEndian.PutUint32(record[8:], frameSum([frameSize]byte(record), f.size))
	if _, err := f.file.WriteAt(record, f.size); err != nil {
		return errors.Join(err, f.file.Truncate(f.size))
	}
	f.size += int64(len(record))
	return nil
}

func (f *logFile) close() error {
	err := f.file.Sync()
	return errors.Join(err, f.file.Close())
}

// encoder appends the parts of a payload.
type encoder struct{ b []byte }

func (e *encoder) number(n int)  { e.b = binary.AppendUvarint(e.b, uint64(n)) }
func (e *encoder) text(s string) { e.number(len(s)); e.b = append(e.b, s...) }

func (e *encoder) row(r row) {
	c := r.chunk
	e.number(c.Number)
	e.number(len(c.Headings))
	for _, h := range c.Headings {
		e.text(h)
	}
	for _, n := range [...]int{c.Start, c.End, c.FirstLine, c.LastLine, c.FirstPage, c.LastPage} {
		e.number(n)
	}
	e.text(c.Text)
	e.number(len(c.Metadata))
	for _, key := range slices.Sorted(maps.Keys(c.Metadata)) {
		e.text(key)
		e.text(c.Metadata[key])
	}
	e.number(len(r.weights))
	for _, w := range r.weights {
		e.number(int(w.Word))
		e.number(int(w.Weight))
	}
	e.b = append(e.b, vector.Encode(r.vector)...)
}

// decoder reads the parts of a payload. After something that is not one, bad is
// set and everything is empty.
type decoder struct {
	rest  []byte
	bad   bool
	arena []textmatch.Weight
}

func (d *decoder) number() int {
	n, size := binary.Uvarint(d.rest)
	if d.bad || size <= 0 || n > math.MaxInt32 {
		d.bad, d.rest = true, nil
		return 0
	}
	d.rest = d.rest[size:]
	return int(n)
}

// count reads the number of things that take at least size bytes each.
func (d *decoder) count(size int) int {
	n := d.number()
	if n > len(d.rest)/size {
		d.bad, d.rest = true, nil
		return 0
	}
	return n
}

func (d *decoder) bytes(n int) []byte {
	if d.bad || n > len(d.rest) {
		d.bad, d.rest = true, nil
		return nil
	}
	b := d.rest[:n]
	d.rest = d.rest[n:]
	return b
}

func (d *decoder) text() string { return string(d.bytes(d.number())) }

// weights returns memory for n words, which is not nil.
func (d *decoder) weights(n int) []textmatch.Weight {
	if n > len(d.arena) || d.arena == nil {
		d.arena = make([]textmatch.Weight, max(n, 1<<16))
	}
	all := d.arena[:n:n]
	d.arena = d.arena[n:]
	return all
}

func (d *decoder) row(document string, dimensions, words int) row {
	c := &Chunk{Document: document, Number: d.number()}
	for range d.count(1) {
		c.Headings = append(c.Headings, d.text())
	}
	for _, n := range [...]*int{&c.Start, &c.End, &c.FirstLine, &c.LastLine, &c.FirstPage, &c.LastPage} {
		*n = d.number()
	}
	c.Text = d.text()
	if n := d.count(2); n > 0 {
		c.Metadata = make(map[string]string, n)
		for range n {
			key := d.text()
			c.Metadata[key] = d.text()
		}
	}
	r := row{chunk: c, weights: d.weights(d.count(2))}
	for i := range r.weights {
		id := d.number()
		if id >= words {
			d.bad = true
			return row{chunk: c}
		}
		r.weights[i] = textmatch.Weight{Word: int32(id), Weight: float32(d.number())}
	}
	if dimensions > 0 {
		r.encoded = d.bytes(4 * dimensions)
	}
	return r
}
