"""Panels beside the scene: folders of widgets, clicks and handles."""
