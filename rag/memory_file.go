package rag

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"

	"github.com/qedkit/qed/internal/vector"
)

// ErrCorrupt is matched by the error of [OpenMemory] for a file that cannot be used.
var ErrCorrupt = errors.New("not an index file, or a damaged one: delete it and add the documents again")

// fileHeader is the first line of a file. Each other line is a change: the CRC-32C
// of its JSON in 8 hexadecimal digits, a space, and the JSON.
const fileHeader = "qed rag index 3\n"

const sumSize = 9 // the bytes of a line before its JSON

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A change is the JSON of a line. Without entries the document was removed.
type change struct {
	Document string      `json:"document"`
	Entries  []fileEntry `json:"entries,omitempty"`
}

// A fileEntry is an [Entry] with an encoded vector.
type fileEntry struct {
	Chunk  Chunk    `json:"chunk"`
	Vector []byte   `json:"vector,omitempty"`
	Terms  []string `json:"terms,omitempty"`
}

// A logFile is the file of a Memory.
type logFile struct {
	file *os.File
	size int64
}

// A place is where the last change of a document is in a file.
type place struct{ from, to int64 }

// open reads the file at path, creates it, or writes it anew if most of it is
// about removed chunks.
func (m *Memory) open(path string) (err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return bare(err)
	}
	m.file = &logFile{file: f}
	chunks, places, err := m.replay()
	if err == nil && chunks > 2*m.alive()+1000 {
		err = m.file.rewrite(path, places)
	}
	if err != nil {
		m.file.file.Close()
	}
	return err
}

// replay applies all changes, and removes the last one if it was cut off. It
// returns the number of chunks that the file has, and where the last change of
// each document is.
func (m *Memory) replay() (chunks int, places map[string]place, err error) {
	r := bufio.NewReaderSize(m.file.file, 1<<20)
	head := make([]byte, len(fileHeader))
	n, err := io.ReadFull(r, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return 0, nil, err
	}
	if string(head[:n]) != fileHeader[:n] {
		return 0, nil, ErrCorrupt
	}
	m.file.size = int64(len(fileHeader))
	if n < len(fileHeader) {
		_, err := m.file.file.WriteAt([]byte(fileHeader), 0)
		return 0, nil, err
	}
	places = map[string]place{}
	for {
		line, err := r.ReadBytes('\n')
		if err == io.EOF {
			break // nothing, or a line that was cut off
		}
		if err != nil {
			return 0, nil, err
		}
		c, ok := readChange(line)
		if ok {
			ok = m.replayChange(c)
		}
		if !ok {
			// Of what was being written when the machine stopped, whole sectors can be zero.
			if _, err := r.Peek(1); err == io.EOF && bytes.IndexByte(line, 0) >= 0 {
				break
			}
			return 0, nil, fmt.Errorf("%w: the line at byte %d", ErrCorrupt, m.file.size)
		}
		chunks += len(c.Entries)
		end := m.file.size + int64(len(line))
		places[c.Document] = place{m.file.size, end}
		if len(c.Entries) == 0 {
			delete(places, c.Document)
		}
		m.file.size = end
	}
	return chunks, places, m.file.file.Truncate(m.file.size)
}

// readChange reads a line. It reports false if the line is damaged.
func readChange(line []byte) (c change, ok bool) {
	if len(line) < sumSize {
		return c, false
	}
	text := line[sumSize : len(line)-1]
	if string(line[:sumSize]) != sumOf(text) {
		return c, false
	}
	return c, json.Unmarshal(text, &c) == nil
}

// sumOf returns how a line with a JSON text begins.
func sumOf(text []byte) string { return fmt.Sprintf("%08x ", crc32.Checksum(text, castagnoli)) }

// replayChange applies a change. It reports false if its vectors do not fit the others.
func (m *Memory) replayChange(c change) bool {
	entries := make([]Entry, len(c.Entries))
	for i, e := range c.Entries {
		entries[i] = Entry{Chunk: e.Chunk, Vector: vector.Decode(e.Vector), Terms: e.Terms}
		if n := len(entries[i].Vector); n != len(entries[0].Vector) || n != m.dimensions && m.alive() > 0 {
			return false
		}
	}
	m.apply(c.Document, entries)
	return true
}

// rewrite writes a file with the last change of each document in place of f.
func (f *logFile) rewrite(path string, places map[string]place) error {
	fresh, err := os.OpenFile(path+".new", os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return bare(err)
	}
	size, err := f.copyTo(fresh, places)
	if err == nil {
		err = fresh.Sync()
	}
	if err == nil {
		err = os.Rename(path+".new", path)
	}
	if err != nil {
		fresh.Close()
		os.Remove(path + ".new")
		return err
	}
	f.file.Close()
	f.file, f.size = fresh, size
	return nil
}

// copyTo writes the header and the lines at places to another file, and returns its
// size.
func (f *logFile) copyTo(fresh *os.File, places map[string]place) (size int64, err error) {
	w := bufio.NewWriterSize(fresh, 1<<20)
	n, err := w.WriteString(fileHeader)
	size = int64(n)
	for _, p := range places {
		if err != nil {
			return 0, err
		}
		var n int64
		n, err = io.Copy(w, io.NewSectionReader(f.file, p.from, p.to-p.from))
		size += n
	}
	return size, errors.Join(err, w.Flush())
}

// append writes a change. If that fails, the file is as before.
func (f *logFile) append(document string, entries []Entry) error {
	c := change{Document: document}
	for _, e := range entries {
		c.Entries = append(c.Entries, fileEntry{Chunk: e.Chunk, Vector: vector.Encode(e.Vector), Terms: e.Terms})
	}
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	line := append([]byte(sumOf(text)), text...)
	line = append(line, '\n')
	if _, err := f.file.WriteAt(line, f.size); err != nil {
		return errors.Join(err, f.file.Truncate(f.size))
	}
	f.size += int64(len(line))
	return nil
}

func (f *logFile) close() error {
	err := f.file.Sync()
	return errors.Join(err, f.file.Close())
}
