package verified

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/qedkit/qed/internal/strictjson"
)

// Open returns the set in a file of JSON lines, and creates the file if there is
// none. A line is a [Pair] and its status:
//
//	{"question": "How many ships are late?", "sql": "SELECT count(*) FROM ship WHERE late", "status": "approved"}
//
// Without a status, the pair is approved; the others are "proposed" and "rejected".
// The last line about a pair counts. Each change appends a line and waits until it
// is on the disk. A last line that was cut off by a crash is removed.
//
// The errors are those of [Read] and of the file. Nil options mean the defaults. Close
// the set after use.
func Open(path string, opt *Options) (*Set, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("verified: %w", err)
	}
	s := newSet(opt)
	if err := s.open(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return s, nil
}

func (s *Set) open(f *os.File) error {
	torn, err := s.read(f)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("verified: %w", err)
	}
	s.file, s.size = f, info.Size()-torn
	if torn > 0 {
		if err := f.Truncate(s.size); err != nil {
			return fmt.Errorf("verified: %w", err)
		}
	}
	return nil
}

// Close closes the file of a set of [Open]. For a set of [Read], which has no file, it
// does nothing.
func (s *Set) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}

// Read returns a set from JSON lines as [Open] describes them, such as an embedded
// file. Its changes are kept in memory. Nil options mean the defaults. The error
// matches [ErrInvalid] and names the line, or is that of r.
func Read(r io.Reader, opt *Options) (*Set, error) {
	s := newSet(opt)
	if _, err := s.read(r); err != nil {
		return nil, err
	}
	s.newline = false
	return s, nil
}

// maxLine is the longest line: a pair whose bytes are all escaped.
const maxLine = 6*(maxQuestion+maxSQL+(2+2*maxParams)*maxName) + 2048

// read reads all lines, and returns the length of a last line that was cut off.
func (s *Set) read(r io.Reader) (torn int64, err error) {
	in := bufio.NewReaderSize(r, maxLine)
	for number := 1; ; number++ {
		line, err := in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			return 0, fmt.Errorf("verified: line %d: %w: it has more than %d bytes", number, ErrInvalid, maxLine)
		}
		last := errors.Is(err, io.EOF)
		if err != nil && !last {
			return 0, fmt.Errorf("verified: %w", err)
		}
		if text := bytes.TrimSpace(line); len(text) > 0 {
			e, err := parse(text)
			if last && errors.Is(err, io.ErrUnexpectedEOF) {
				return int64(len(line)), nil
			}
			if err != nil {
				return 0, fmt.Errorf("verified: line %d: %w", number, err)
			}
			s.add(e)
		}
		if last {
			s.newline = len(line) > 0
			return 0, nil
		}
	}
}

// parse reads a line.
func parse(line []byte) (e entry, err error) {
	if err := strictjson.Decode(line, &e); err != nil {
		return e, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	switch e.Status {
	case "", approved, proposed, rejected:
	default:
		return e, fmt.Errorf("%w: the status %q is none of approved, proposed, rejected", ErrInvalid, e.Status)
	}
	return newEntry(cmp.Or(e.Status, approved), e.Pair), e.check()
}

// write appends an entry to the file, if there is one. What is written in part is
// removed.
func (s *Set) write(e entry) error {
	if s.file == nil {
		return nil
	}
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("verified: %w", err)
	}
	line = append(line, '\n')
	if s.newline {
		line = append([]byte{'\n'}, line...)
	}
	info, err := s.file.Stat()
	switch {
	case err != nil:
		return fmt.Errorf("verified: %w", err)
	case info.Size() != s.size:
		return fmt.Errorf("verified: %w: open %s again", ErrChanged, s.file.Name())
	}
	_, err = s.file.Write(line)
	if err == nil {
		err = s.file.Sync()
	}
	if err != nil {
		return errors.Join(fmt.Errorf("verified: %w", err), s.file.Truncate(s.size))
	}
	s.size, s.newline = s.size+int64(len(line)), false
	return nil
}
