package rag

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/qedkit/qed/internal/ascii"
)

var (
	// ErrNoDocuments is the error of [Read] where there is no Markdown file with a
	// text, and of [NewIndex] without a chunk: an agent could answer nothing.
	ErrNoDocuments = errors.New("there is nothing to read")
	// ErrNotText is the error of [Read] for a file that is not valid UTF-8.
	ErrNotText = errors.New("the file is not valid UTF-8")
	// ErrTooLarge is the error of [Read] for a file, or all of them, over a limit of
	// [ReadOptions].
	ErrTooLarge = errors.New("there is too much to read")
)

// ReadOptions are limits of [Read]. Nil and zero fields mean the defaults; a
// negative number is an error.
type ReadOptions struct {
	// ChunkBytes is how long a chunk's text may be: 1200 bytes, about 300 tokens,
	// at least 100. Models that embed read the beginning of a longer text only, some
	// no more than 256 tokens.
	ChunkBytes int
	// MaxFileBytes is how large a file may be: 1 MiB.
	MaxFileBytes int
	// MaxBytes is how large all files may be together: 64 MiB.
	MaxBytes int
}

const (
	minChunkBytes = 100
	maxReadOption = 1 << 30
)

func (o *ReadOptions) withDefaults() (ReadOptions, error) {
	var v ReadOptions
	if o != nil {
		v = *o
	}
	for _, f := range []struct {
		name         string
		value        *int
		usual, least int
	}{
		{"ChunkBytes", &v.ChunkBytes, 1200, minChunkBytes},
		{"MaxFileBytes", &v.MaxFileBytes, 1 << 20, 1},
		{"MaxBytes", &v.MaxBytes, 64 << 20, 1},
	} {
		if *f.value == 0 {
			*f.value = f.usual
		}
		if *f.value < f.least || *f.value > maxReadOption {
			return v, fmt.Errorf("rag: ReadOptions.%s is %d: it lies between %d and %d", f.name, *f.value, f.least, maxReadOption)
		}
	}
	return v, nil
}

// Read cuts the Markdown files of a file system into chunks: those whose names
// end in .md or .markdown, in all folders, in the order of their paths. Names
// that begin with a dot are left out. Front matter is left out of the chunks.
//
// A file that cannot be read, is too large or is not valid UTF-8 is an error that
// names it. Links to files are followed, those to folders are not: where files
// come from somebody else, [os.Root.FS] keeps links within the folder.
func Read(files fs.FS, opt *ReadOptions) ([]Chunk, error) {
	o, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	var chunks []Chunk
	left := o.MaxBytes
	err = fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("rag: %w", err) // it names the file
		}
		hidden := strings.HasPrefix(path.Base(name), ".") && name != "."
		switch {
		case entry.IsDir() && hidden:
			return fs.SkipDir
		case entry.IsDir() || hidden || !isMarkdown(name):
			return nil
		}
		text, err := readFile(files, name, min(o.MaxFileBytes, left))
		if err != nil {
			return fmt.Errorf("rag: %s: %w", name, err)
		}
		left -= len(text)
		chunks = append(chunks, split(name, text, o.ChunkBytes)...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(chunks) == 0 {
		return nil, fmt.Errorf("rag: %w: no file that ends in .md has a text", ErrNoDocuments)
	}
	return chunks, nil
}

func isMarkdown(name string) bool {
	ext := ascii.Lower(path.Ext(name))
	return ext == ".md" || ext == ".markdown"
}

// readFile reads a regular file of at most limit bytes. What is no file, such as
// a link to a folder, has no text.
func readFile(files fs.FS, name string, limit int) (text string, err error) {
	info, err := fs.Stat(files, name)
	if err != nil {
		return "", bare(err)
	}
	if !info.Mode().IsRegular() { // opening a pipe would wait for somebody to write
		return "", nil
	}
	f, err := files.Open(name)
	if err != nil {
		return "", bare(err)
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, int64(limit)+1))
	switch {
	case err != nil:
		return "", bare(err)
	case len(raw) > limit:
		return "", fmt.Errorf("%w: raise ReadOptions.MaxFileBytes or MaxBytes", ErrTooLarge)
	case !utf8.Valid(raw):
		return "", ErrNotText
	}
	return string(raw), nil
}

// bare takes the path off an error that has one.
func bare(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}
