"""What people use beside the scene: folders of widgets, clicks and handles."""
