package deadletter

import (
	"errors"
	"fmt"
	"strings"

	"confab/internal/redact"
)

// errorClass returns the type of the innermost error, in place of an exception's class.
func errorClass(err error) string {
	if err == nil {
		return ""
	}
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return fmt.Sprintf("%T", err)
		}
		err = inner
	}
}

func errorText(l *Letter) string {
	text := l.Reason
	if l.Err != nil {
		if detail := l.Err.Error(); strings.HasPrefix(detail, text) {
			text = detail
		} else {
			text += ": " + detail
		}
	}
	text = redact.Visible(text, maxErrorMessage)
	if len(text) > maxErrorMessage {
		text = text[:maxErrorMessage]
	}
	return strings.ToValidUTF8(text, "")
}
