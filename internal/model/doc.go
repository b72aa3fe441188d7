// Package model holds learned models as plain numbers: how they are trained, written and applied. It knows nothing of
// texts, detectors or files: whoever has features and labels comes here.
package model
