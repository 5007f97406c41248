package prove

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// statements returns a line for each file: the arguments themselves, and the files that end
// in .sql in those that are folders.
func statements(args []string) (io.Reader, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	add := func(path string) error {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return encoder.Encode(map[string]string{"id": filepath.ToSlash(path), "sql": string(text)})
	}
	for _, arg := range args {
		info, err := os.Stat(arg)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			if err := add(arg); err != nil {
				return nil, err
			}
			continue
		}
		found := false
		err = filepath.WalkDir(arg, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.EqualFold(filepath.Ext(path), ".sql") {
				return err
			}
			found = true
			return add(path)
		})
		if err != nil {
			return nil, err
		}
		if !found {
			return nil, fmt.Errorf("%s has no file that ends in .sql", arg)
		}
	}
	return &out, nil
}
