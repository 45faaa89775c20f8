"""The numbers of the world around cars with grip, in metres: those of the racing world where nothing else is said."""

from hotlap.racer.physics import PHYSICS

GRIP_PHYSICS = PHYSICS._replace(
    max_speed_ups=50.0,  # up to here a random start is as fast as it likes; the speed bonus counts in it
    shoulder_width_u=1.5,  # the kerb, beyond the edge of the road
    car_radius_u=1.0,
    contact_radius_u=1.2,
    sweep_step_u=0.75,
    wall_slide=0.6,  # 1 - friction of a wall
    wall_bounce=0.1,
    wall_push_u=0.05,
    wall_turn=0.3,
    wall_yaw_loss=0.5,
)
