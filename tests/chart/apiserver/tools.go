// SPDX-License-Identifier: Apache-2.0

//go:build tools

// Package tools keeps what is built here in go.mod and go.sum.
package tools

import _ "k8s.io/kubernetes/cmd/kube-apiserver/app"
