package research

import (
	"testing"

	"github.com/qedkit/qed/internal/usertext/usertexttest"
)

func TestTexts(t *testing.T) { usertexttest.Tables(t, shippedTexts) }
