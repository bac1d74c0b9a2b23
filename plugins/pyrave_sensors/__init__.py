"""Built-in sensors: lasers, cameras, and those of bodies.

The modules by what they are for, from the bottom up:

- every sensor: `settings` (fields that describe themselves), `typed`, `reading` (XML),
  `measuring` (switches, timing, data, state), `history`, `hooks`, `warming`;
- what takes time: `pose_history`, `scene_trace`, `ranging`;
- ranges: `noise`, `reflectivity`, `casting`, `scanner_settings`, `scanning`; scanners
  are `laser2d`, `spinning_laser2d`, `flash_lidar`, `multi_beam_lidar` (with
  `lidar_presets`);
- images: `lens`, `distortion`, `images`, `exposure`, `camera_options`,
  `camera_settings`, `camera`; of two cameras `rectification`, `stereo_settings`,
  `stereo_camera`;
- motion and forces: `motion`, `disturbance`, `loads`; sensors of bodies are
  `joint_encoder`, `imu`, `odometry`, `force6d`, `tactile`, `actuator` (with `motors`).

What is compiled is in `kernels.returns`.
"""
