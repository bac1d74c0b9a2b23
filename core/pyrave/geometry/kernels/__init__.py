"""Kernels of meshes, trees and rays."""
