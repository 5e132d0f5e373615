; Made by pddl2nl tasks generate building --seed 37 --name rooms37 rooms=37 moving=2
; Building: 37 rooms, 58 assets, 2 items to carry.
(define (problem building-rooms37)
  (:domain building)

  (:objects
    meeting_room1 meeting_room2 store_room3 meeting_room4 kitchen5 meeting_room6 lab7 store_room8
    store_room9 office10 meeting_room11 kitchen12 office13 kitchen14 store_room15 kitchen16 office17
    store_room18 meeting_room19 kitchen20 lab21 lab22 kitchen23 meeting_room24 meeting_room25
    office26 office27 kitchen28 kitchen29 meeting_room30 kitchen31 lab32 meeting_room33 lab34
    office35 store_room36 lab37 - room
    pose1 pose2 pose3 pose4 pose5 pose6 pose7 pose8 pose9 pose10 pose11 pose12 pose13 pose14 pose15
    pose16 pose17 pose18 pose19 pose20 - pose
    table1 table2 cupboard3 table4 fridge5 bench5 table6 workbench7 shelf7 cupboard8 cupboard9
    desk10 cabinet10 table11 fridge12 bench12 desk13 cabinet13 fridge14 bench14 cupboard15 fridge16
    bench16 desk17 cabinet17 cupboard18 table19 fridge20 bench20 workbench21 shelf21 workbench22
    shelf22 fridge23 bench23 table24 table25 desk26 cabinet26 desk27 cabinet27 fridge28 bench28
    fridge29 bench29 table30 fridge31 bench31 workbench32 shelf32 table33 workbench34 shelf34 desk35
    cabinet35 cupboard36 workbench37 shelf37 - asset
    marker_table1 bottle_table2 biscuits_cupboard3 marker_table4 apple_fridge5 orange_bench5
    marker_table6 drone_workbench7 battery_shelf7 paper_cupboard8 towel_cupboard9 notebook_desk10
    thesis_cabinet10 bottle_table11 cheese_fridge12 bowl_bench12 stapler_desk13 folder_cabinet13
    apple_fridge14 bowl_bench14 towel_cupboard15 apple_fridge16 bowl_bench16 headphones_desk17
    charger_cabinet17 towel_cupboard18 bottle_table19 juice_fridge20 bowl_bench20 drone_workbench21
    battery_shelf21 camera_workbench22 battery_shelf22 cheese_fridge23 bread_bench23 marker_table24
    marker_table25 headphones_desk26 folder_cabinet26 stapler_desk27 folder_cabinet27
    cheese_fridge28 bowl_bench28 apple_fridge29 bread_bench29 marker_table30 juice_fridge31
    bread_bench31 camera_workbench32 battery_shelf32 marker_table33 gripper_workbench34
    cable_shelf34 headphones_desk35 charger_cabinet35 paper_cupboard36 camera_workbench37
    cable_shelf37 - item)

  (:init
    (at pose20) (hand-empty)
    (linked pose1 pose2) (linked pose2 pose1) (linked pose2 pose3) (linked pose3 pose2)
    (linked pose3 pose4) (linked pose4 pose3) (linked pose4 pose5) (linked pose5 pose4)
    (linked pose5 pose6) (linked pose6 pose5) (linked pose6 pose7) (linked pose7 pose6)
    (linked pose7 pose8) (linked pose8 pose7) (linked pose8 pose9) (linked pose9 pose8)
    (linked pose9 pose10) (linked pose10 pose9) (linked pose10 pose11) (linked pose11 pose10)
    (linked pose11 pose12) (linked pose12 pose11) (linked pose12 pose13) (linked pose13 pose12)
    (linked pose13 pose14) (linked pose14 pose13) (linked pose14 pose15) (linked pose15 pose14)
    (linked pose15 pose16) (linked pose16 pose15) (linked pose16 pose17) (linked pose17 pose16)
    (linked pose17 pose18) (linked pose18 pose17) (linked pose18 pose19) (linked pose19 pose18)
    (linked pose19 pose20) (linked pose20 pose19) (linked pose1 pose6) (linked pose6 pose1)
    (linked pose2 pose7) (linked pose7 pose2) (linked pose3 pose8) (linked pose8 pose3)
    (linked pose4 pose9) (linked pose9 pose4) (linked pose5 pose10) (linked pose10 pose5)
    (linked pose6 pose11) (linked pose11 pose6) (linked pose7 pose12) (linked pose12 pose7)
    (linked pose8 pose13) (linked pose13 pose8) (linked pose9 pose14) (linked pose14 pose9)
    (linked pose10 pose15) (linked pose15 pose10) (linked pose11 pose16) (linked pose16 pose11)
    (linked pose12 pose17) (linked pose17 pose12) (linked pose13 pose18) (linked pose18 pose13)
    (linked pose14 pose19) (linked pose19 pose14) (linked pose15 pose20) (linked pose20 pose15)
    (linked meeting_room1 pose1) (linked pose1 meeting_room1) (linked meeting_room2 pose2)
    (linked pose2 meeting_room2) (linked store_room3 pose2) (linked pose2 store_room3)
    (linked meeting_room4 pose3) (linked pose3 meeting_room4) (linked kitchen5 pose3)
    (linked pose3 kitchen5) (linked meeting_room6 pose4) (linked pose4 meeting_room6)
    (linked lab7 pose4) (linked pose4 lab7) (linked store_room8 pose5) (linked pose5 store_room8)
    (linked store_room9 pose5) (linked pose5 store_room9) (linked office10 pose6)
    (linked pose6 office10) (linked meeting_room11 pose6) (linked pose6 meeting_room11)
    (linked kitchen12 pose7) (linked pose7 kitchen12) (linked office13 pose7)
    (linked pose7 office13) (linked kitchen14 pose8) (linked pose8 kitchen14)
    (linked store_room15 pose8) (linked pose8 store_room15) (linked kitchen16 pose9)
    (linked pose9 kitchen16) (linked office17 pose9) (linked pose9 office17)
    (linked store_room18 pose10) (linked pose10 store_room18) (linked meeting_room19 pose10)
    (linked pose10 meeting_room19) (linked kitchen20 pose11) (linked pose11 kitchen20)
    (linked lab21 pose11) (linked pose11 lab21) (linked lab22 pose12) (linked pose12 lab22)
    (linked kitchen23 pose12) (linked pose12 kitchen23) (linked meeting_room24 pose13)
    (linked pose13 meeting_room24) (linked meeting_room25 pose13) (linked pose13 meeting_room25)
    (linked office26 pose14) (linked pose14 office26) (linked office27 pose14)
    (linked pose14 office27) (linked kitchen28 pose15) (linked pose15 kitchen28)
    (linked kitchen29 pose15) (linked pose15 kitchen29) (linked meeting_room30 pose16)
    (linked pose16 meeting_room30) (linked kitchen31 pose16) (linked pose16 kitchen31)
    (linked lab32 pose17) (linked pose17 lab32) (linked meeting_room33 pose17)
    (linked pose17 meeting_room33) (linked lab34 pose18) (linked pose18 lab34)
    (linked office35 pose18) (linked pose18 office35) (linked store_room36 pose19)
    (linked pose19 store_room36) (linked lab37 pose19) (linked pose19 lab37)
    (in-room table1 meeting_room1) (in-room table2 meeting_room2) (in-room cupboard3 store_room3)
    (in-room table4 meeting_room4) (in-room fridge5 kitchen5) (in-room bench5 kitchen5)
    (in-room table6 meeting_room6) (in-room workbench7 lab7) (in-room shelf7 lab7)
    (in-room cupboard8 store_room8) (in-room cupboard9 store_room9) (in-room desk10 office10)
    (in-room cabinet10 office10) (in-room table11 meeting_room11) (in-room fridge12 kitchen12)
    (in-room bench12 kitchen12) (in-room desk13 office13) (in-room cabinet13 office13)
    (in-room fridge14 kitchen14) (in-room bench14 kitchen14) (in-room cupboard15 store_room15)
    (in-room fridge16 kitchen16) (in-room bench16 kitchen16) (in-room desk17 office17)
    (in-room cabinet17 office17) (in-room cupboard18 store_room18) (in-room table19 meeting_room19)
    (in-room fridge20 kitchen20) (in-room bench20 kitchen20) (in-room workbench21 lab21)
    (in-room shelf21 lab21) (in-room workbench22 lab22) (in-room shelf22 lab22)
    (in-room fridge23 kitchen23) (in-room bench23 kitchen23) (in-room table24 meeting_room24)
    (in-room table25 meeting_room25) (in-room desk26 office26) (in-room cabinet26 office26)
    (in-room desk27 office27) (in-room cabinet27 office27) (in-room fridge28 kitchen28)
    (in-room bench28 kitchen28) (in-room fridge29 kitchen29) (in-room bench29 kitchen29)
    (in-room table30 meeting_room30) (in-room fridge31 kitchen31) (in-room bench31 kitchen31)
    (in-room workbench32 lab32) (in-room shelf32 lab32) (in-room table33 meeting_room33)
    (in-room workbench34 lab34) (in-room shelf34 lab34) (in-room desk35 office35)
    (in-room cabinet35 office35) (in-room cupboard36 store_room36) (in-room workbench37 lab37)
    (in-room shelf37 lab37)
    (on-top-of marker_table1 table1) (on-top-of bottle_table2 table2)
    (inside-of biscuits_cupboard3 cupboard3) (on-top-of marker_table4 table4)
    (inside-of apple_fridge5 fridge5) (on-top-of orange_bench5 bench5)
    (on-top-of marker_table6 table6) (on-top-of drone_workbench7 workbench7)
    (on-top-of battery_shelf7 shelf7) (inside-of paper_cupboard8 cupboard8)
    (inside-of towel_cupboard9 cupboard9) (on-top-of notebook_desk10 desk10)
    (inside-of thesis_cabinet10 cabinet10) (on-top-of bottle_table11 table11)
    (inside-of cheese_fridge12 fridge12) (on-top-of bowl_bench12 bench12)
    (on-top-of stapler_desk13 desk13) (inside-of folder_cabinet13 cabinet13)
    (inside-of apple_fridge14 fridge14) (on-top-of bowl_bench14 bench14)
    (inside-of towel_cupboard15 cupboard15) (inside-of apple_fridge16 fridge16)
    (on-top-of bowl_bench16 bench16) (on-top-of headphones_desk17 desk17)
    (inside-of charger_cabinet17 cabinet17) (inside-of towel_cupboard18 cupboard18)
    (on-top-of bottle_table19 table19) (inside-of juice_fridge20 fridge20)
    (on-top-of bowl_bench20 bench20) (on-top-of drone_workbench21 workbench21)
    (on-top-of battery_shelf21 shelf21) (on-top-of camera_workbench22 workbench22)
    (on-top-of battery_shelf22 shelf22) (inside-of cheese_fridge23 fridge23)
    (on-top-of bread_bench23 bench23) (on-top-of marker_table24 table24)
    (on-top-of marker_table25 table25) (on-top-of headphones_desk26 desk26)
    (inside-of folder_cabinet26 cabinet26) (on-top-of stapler_desk27 desk27)
    (inside-of folder_cabinet27 cabinet27) (inside-of cheese_fridge28 fridge28)
    (on-top-of bowl_bench28 bench28) (inside-of apple_fridge29 fridge29)
    (on-top-of bread_bench29 bench29) (on-top-of marker_table30 table30)
    (inside-of juice_fridge31 fridge31) (on-top-of bread_bench31 bench31)
    (on-top-of camera_workbench32 workbench32) (on-top-of battery_shelf32 shelf32)
    (on-top-of marker_table33 table33) (on-top-of gripper_workbench34 workbench34)
    (on-top-of cable_shelf34 shelf34) (on-top-of headphones_desk35 desk35)
    (inside-of charger_cabinet35 cabinet35) (inside-of paper_cupboard36 cupboard36)
    (on-top-of camera_workbench37 workbench37) (on-top-of cable_shelf37 shelf37)
    (shut cupboard3) (shut fridge5) (shut cupboard8) (shut cupboard9) (shut cabinet10)
    (shut fridge12) (shut cabinet13) (shut fridge14) (shut cupboard15) (shut fridge16)
    (shut cabinet17) (shut cupboard18) (shut fridge20) (shut fridge23) (shut cabinet26)
    (shut cabinet27) (shut fridge28) (shut fridge29) (shut fridge31) (shut cabinet35)
    (shut cupboard36)
    (openable cupboard3) (takes-in cupboard3) (openable fridge5) (takes-in fridge5)
    (openable cupboard8) (takes-in cupboard8) (openable cupboard9) (takes-in cupboard9)
    (openable cabinet10) (takes-in cabinet10) (openable fridge12) (takes-in fridge12)
    (openable cabinet13) (takes-in cabinet13) (openable fridge14) (takes-in fridge14)
    (openable cupboard15) (takes-in cupboard15) (openable fridge16) (takes-in fridge16)
    (openable cabinet17) (takes-in cabinet17) (openable cupboard18) (takes-in cupboard18)
    (openable fridge20) (takes-in fridge20) (openable fridge23) (takes-in fridge23)
    (openable cabinet26) (takes-in cabinet26) (openable cabinet27) (takes-in cabinet27)
    (openable fridge28) (takes-in fridge28) (openable fridge29) (takes-in fridge29)
    (openable fridge31) (takes-in fridge31) (openable cabinet35) (takes-in cabinet35)
    (openable cupboard36) (takes-in cupboard36)
    (takes-on table1) (takes-on table2) (takes-on table4) (takes-on bench5) (takes-on table6)
    (takes-on workbench7) (takes-on shelf7) (takes-on desk10) (takes-on table11) (takes-on bench12)
    (takes-on desk13) (takes-on bench14) (takes-on bench16) (takes-on desk17) (takes-on table19)
    (takes-on bench20) (takes-on workbench21) (takes-on shelf21) (takes-on workbench22)
    (takes-on shelf22) (takes-on bench23) (takes-on table24) (takes-on table25) (takes-on desk26)
    (takes-on desk27) (takes-on bench28) (takes-on bench29) (takes-on table30) (takes-on bench31)
    (takes-on workbench32) (takes-on shelf32) (takes-on table33) (takes-on workbench34)
    (takes-on shelf34) (takes-on desk35) (takes-on workbench37) (takes-on shelf37))

  (:goal (and
    (inside-of orange_bench5 fridge5)
    (on-top-of marker_table6 workbench22))))
