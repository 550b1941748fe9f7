(** [composition]: a layout of which the value at [i] is that of [A] at [B i], mode by mode, and when there is one.

    A mode of [B] walks along the modes of [A] with a step: it must consume whole modes, and where it ends inside of one, no more than
    that is asked for. Modes of [B] are put together where no digit of [A] overflows. *)
Require Import Arith ZArith List Bool Lia.
Require Export Atl.layouts.Layout.
Import ListNotations.
Local Open Scope nat_scope.

(** * One mode of step [r] and [q] elements *)

(** The modes, and the greatest digit at each mode of [A] but the last. *)
Fixpoint walk (A : layout) (r q : nat) : option (layout * list nat) :=
  match A with
  | [] => None
  | [(_, e)] => Some ([(q, (Z.of_nat r * e)%Z)], [])
  | (a, e) :: A' =>
      if q =? 1 then Some ([], map (fun _ => 0) A')
      else if a <=? r then
        (if r mod a =? 0 then
           match walk A' (r / a) q with Some (R, bs) => Some (R, 0 :: bs) | None => None end
         else None)
      else let t := (a + r - 1) / r in
        if q <=? t then Some ([(q, (Z.of_nat r * e)%Z)], (q - 1) * r :: map (fun _ => 0) (tl A'))
        else if (a mod r =? 0) && (q mod t =? 0) then
          match walk A' 1 (q / t) with Some (R, bs) => Some ((t, (Z.of_nat r * e)%Z) :: R, (t - 1) * r :: bs) | None => None end
        else None
  end.

Lemma walk_cons a e m A r q : walk ((a, e) :: m :: A) r q =
  if q =? 1 then Some ([], map (fun _ => 0) (m :: A))
  else if a <=? r then
    (if r mod a =? 0 then
       match walk (m :: A) (r / a) q with Some (R, bs) => Some (R, 0 :: bs) | None => None end
     else None)
  else let t := (a + r - 1) / r in
    if q <=? t then Some ([(q, (Z.of_nat r * e)%Z)], (q - 1) * r :: map (fun _ => 0) A)
    else if (a mod r =? 0) && (q mod t =? 0) then
      match walk (m :: A) 1 (q / t) with Some (R, bs) => Some ((t, (Z.of_nat r * e)%Z) :: R, (t - 1) * r :: bs) | None => None end
    else None.
Proof. reflexivity. Qed.

(** Digits of [x] at the modes but the last are at most these; and these are no more than digits can be. *)
Fixpoint digits (A : layout) (x : nat) (bs : list nat) : Prop :=
  match A with
  | [] | [_] => True
  | (a, _) :: A' => match bs with b :: bs => x mod a <= b /\ digits A' (x / a) bs | [] => False end
  end.
Fixpoint below (A : layout) (bs : list nat) : bool :=
  match A with
  | [] | [_] => true
  | (a, _) :: A' => match bs with b :: bs => (b <? a) && below A' bs | [] => false end
  end.
Definition zeros (A : layout) : list nat := map (fun _ => 0) (tl A).

Lemma digits_zero A : positive A -> digits A 0 (zeros A).
Proof.
  unfold zeros. induction 1 as [|[a e] A P PA IH]; [exact I|]. destruct A as [|m A]; [exact I|]. cbn in P.
  cbn [tl map digits]. rewrite Nat.mod_0_l, Nat.div_0_l by lia. split; [lia|exact IH].
Qed.

Lemma ceiling a r : 0 < r -> 0 < a -> let t := (a + r - 1) / r in 0 < t /\ (t - 1) * r < a /\ a <= t * r.
Proof.
  intros R P t. pose proof (Nat.div_mod (a + r - 1) r ltac:(lia)). pose proof (Nat.mod_upper_bound (a + r - 1) r ltac:(lia)).
  fold t in H. assert (0 < t) by nia. nia.
Qed.

Theorem walk_right A : positive A -> forall r q R bs, 0 < r -> 0 < q -> walk A r q = Some (R, bs) ->
  positive R /\ size R = q /\ forall i, i < q -> wrapped R i = value A (r * i) /\ digits A (r * i) bs.
Proof.
  induction 1 as [|[a e] A P PA IH]; [discriminate|]. cbn in P. intros r q R bs Hr Hq. destruct A as [|m A].
  - cbn [walk]. intros E. injection E as <- <-. split; [repeat constructor; exact Hq|]. split; [cbn; lia|].
    intros i Hi. split; [|exact I]. cbn. rewrite Nat.mod_small by lia. lia.
  - rewrite walk_cons. set (A' := m :: A) in *. destruct (Nat.eqb_spec q 1) as [->|Q1].
    + intros E. injection E as <- <-. split; [constructor|]. split; [reflexivity|]. intros i Hi. replace (r * i) with 0 by nia.
      assert (PA2 : positive ((a, e) :: A')) by (constructor; [exact P|exact PA]). split; [|exact (digits_zero _ PA2)].
      rewrite value_zero by exact PA2. reflexivity.
    + destruct (Nat.leb_spec a r) as [L|L].
      * destruct (Nat.eqb_spec (r mod a) 0) as [D|D]; [|discriminate].
        destruct (walk A' (r / a) q) as [[R' bs']|] eqn:W; [|discriminate]. intros E. injection E as <- <-.
        pose proof (Nat.div_mod r a ltac:(lia)) as K. rewrite D in K. assert (0 < r / a) by nia.
        destruct (IH (r / a) q R' bs' H Hq W) as (PR & SR & VR). split; [exact PR|split; [exact SR|]]. intros i Hi.
        destruct (VR i Hi) as [V G]. replace (r * i) with ((r / a * i) * a) by nia. cbn [digits]. unfold A' at 1.
        rewrite value_cons, Nat.mod_mul, Nat.div_mul by lia. fold A'. split; [rewrite V; lia|]. split; [lia|exact G].
      * destruct (ceiling a r Hr P) as (T0 & T1 & T2). cbv zeta. set (t := (a + r - 1) / r) in *.
        destruct (Nat.leb_spec q t) as [Qt|Qt].
        -- intros E. injection E as <- <-. split; [repeat constructor; exact Hq|]. split; [cbn; lia|]. intros i Hi.
           assert (B : r * i < a) by nia. cbn [digits]. unfold A' at 1. rewrite value_cons, Nat.mod_small, Nat.div_small by lia. fold A'.
           rewrite (value_zero A' PA). split; [cbn [wrapped]; rewrite Nat.mod_small by lia; lia|].
           split; [nia|exact (digits_zero A' PA)].
        -- destruct ((a mod r =? 0) && (q mod t =? 0)) eqn:C; [|discriminate]. apply andb_true_iff in C as [C1 C2].
           apply Nat.eqb_eq in C1, C2. destruct (walk A' 1 (q / t)) as [[R' bs']|] eqn:W; [|discriminate]. intros E. injection E as <- <-.
           pose proof (Nat.div_mod a r ltac:(lia)) as Ka. pose proof (Nat.div_mod q t ltac:(lia)) as Kq. rewrite C1 in Ka. rewrite C2 in Kq.
           assert (Et : a = t * r).
           { assert (a / r <= t) by (apply (Nat.mul_le_mono_pos_l _ _ r); lia).
             assert (t - 1 < a / r) by (apply (Nat.mul_lt_mono_pos_l r); lia). assert (a / r = t) by lia. lia. }
           assert (0 < q / t) by nia.
           destruct (IH 1 (q / t) R' bs' ltac:(lia) H W) as (PR & SR & VR).
           split; [constructor; [exact T0|exact PR]|]. split; [cbn [size]; rewrite SR; lia|]. intros i Hi.
           assert (Ii : i / t < q / t) by (apply Nat.div_lt_upper_bound; lia). destruct (VR (i / t) Ii) as [V G].
           rewrite Nat.mul_1_l in V, G. pose proof (Nat.div_mod i t ltac:(lia)) as Ki. pose proof (Nat.mod_upper_bound i t ltac:(lia)).
           assert (M : r * i = r * (i mod t) + i / t * a) by nia.
           assert (Mod : (r * i) mod a = r * (i mod t)) by (rewrite M, Nat.mod_add by lia; apply Nat.mod_small; nia).
           assert (Div : (r * i) / a = i / t) by (rewrite M, Nat.div_add by lia; rewrite Nat.div_small by nia; lia).
           cbn [digits]. unfold A' at 1. rewrite value_cons, Mod, Div. fold A'. split; [cbn [wrapped]; rewrite V; lia|].
           split; [nia|exact G].
Qed.

(** * Several modes *)
Fixpoint plus (bs cs : list nat) : list nat :=
  match bs, cs with b :: bs, c :: cs => b + c :: plus bs cs | _, _ => [] end.

(** Where no digit overflows, a layout is additive. *)
Lemma no_carry A : positive A -> forall x y bs cs, digits A x bs -> digits A y cs -> below A (plus bs cs) = true ->
  value A (x + y) = (value A x + value A y)%Z /\ digits A (x + y) (plus bs cs).
Proof.
  induction 1 as [|[a e] A P PA IH]; intros x y bs cs Dx Dy B; [split; [reflexivity|exact I]|]. cbn in P.
  destruct A as [|m A]; [split; [cbn; lia|exact I]|]. cbn [digits below] in *.
  destruct bs as [|b bs]; [destruct Dx|]. destruct cs as [|c cs]; [destruct Dy|]. cbn [plus] in *.
  destruct Dx as [Hx Dx], Dy as [Hy Dy]. apply andb_true_iff in B as [Hb B]. apply Nat.ltb_lt in Hb.
  pose proof (Nat.div_mod x a ltac:(lia)) as Kx. pose proof (Nat.div_mod y a ltac:(lia)) as Ky.
  assert (M : x + y = (x mod a + y mod a) + (x / a + y / a) * a) by nia.
  assert (Mod : (x + y) mod a = x mod a + y mod a) by (rewrite M at 1; rewrite Nat.mod_add by lia; apply Nat.mod_small; lia).
  assert (Div : (x + y) / a = x / a + y / a) by (rewrite M at 1; rewrite Nat.div_add by lia; rewrite Nat.div_small by lia; lia).
  destruct (IH (x / a) (y / a) bs cs Dx Dy B) as [V D].
  rewrite !value_cons, Mod, Div, V. split; [lia|]. split; [lia|exact D].
Qed.

Lemma below_plus A bs cs : below A (plus bs cs) = true -> below A bs = true /\ below A cs = true.
Proof.
  revert bs cs. induction A as [|[a e] A IH]; intros bs cs B; [auto|]. destruct A as [|m A]; [auto|]. cbn [below] in *.
  destruct bs as [|b bs]; [discriminate|]. destruct cs as [|c cs]; [discriminate|]. cbn [plus] in *.
  apply andb_true_iff in B as [Hb B]. apply Nat.ltb_lt in Hb. destruct (IH bs cs B) as [-> ->].
  rewrite !andb_true_r, !Nat.ltb_lt. lia.
Qed.

(** What is second has integers for strides that are not negative. *)
Fixpoint index (B : list (nat * nat)) (i : nat) : nat :=
  match B with [] => 0 | (s, d) :: B => (i mod s) * d + index B (i / s) end.
Fixpoint elements (B : list (nat * nat)) : nat := match B with [] => 1 | (s, _) :: B => s * elements B end.

Fixpoint modes (A : layout) (B : list (nat * nat)) : option (layout * list nat) :=
  match B with
  | [] => Some ([], zeros A)
  | (s, d) :: B =>
      match (if d =? 0 then Some ([(s, 0%Z)], zeros A) else walk A d s), modes A B with
      | Some (R, bs), Some (Q, cs) => Some (R ++ Q, plus bs cs)
      | _, _ => None
      end
  end.
Definition compose (A : layout) (B : list (nat * nat)) : option layout :=
  match modes A B with Some (R, bs) => if below A bs then Some R else None | None => None end.

Lemma wrapped_mod L i : positive L -> wrapped L i = wrapped L (i mod size L).
Proof.
  intros P. revert i. induction P as [|[s d] L S P IH]; intros i; [reflexivity|]. cbn [fst] in S. cbn [wrapped size].
  pose proof (size_positive L P). rewrite Nat.mod_mul_r by lia. rewrite (Nat.mul_comm s (_ mod _)), Nat.mod_add, Nat.div_add by lia.
  rewrite Nat.mod_mod, (Nat.div_small (i mod s) s) by (try apply Nat.mod_upper_bound; lia). cbn [Nat.add]. rewrite (IH (i / s)). reflexivity.
Qed.

Lemma modes_right A B : positive A -> Forall (fun m => 0 < fst m) B -> forall R bs, modes A B = Some (R, bs) -> below A bs = true ->
  positive R /\ size R = elements B /\ forall i, wrapped R i = value A (index B i) /\ digits A (index B i) bs.
Proof.
  intros PA. induction 1 as [|[s d] B S PB IH]; intros R bs E Bl.
  - injection E as <- <-. split; [constructor|split; [reflexivity|]]. intros i. cbn. rewrite value_zero by exact PA.
    split; [reflexivity|exact (digits_zero A PA)].
  - cbn [fst] in S. cbn [modes] in E.
    assert (One : forall R1 bs1, (if d =? 0 then Some ([(s, 0%Z)], zeros A) else walk A d s) = Some (R1, bs1) ->
      positive R1 /\ size R1 = s /\ forall i, i < s -> wrapped R1 i = value A (i * d) /\ digits A (i * d) bs1).
    { intros R1 bs1. destruct (Nat.eqb_spec d 0) as [->|D].
      - intros H. injection H as <- <-. split; [repeat constructor; exact S|]. split; [cbn; lia|]. intros i _.
        rewrite Nat.mul_0_r, value_zero by exact PA. split; [cbn; lia|exact (digits_zero A PA)].
      - intros H. destruct (walk_right A PA d s R1 bs1 ltac:(lia) S H) as (P1 & S1 & V1). split; [exact P1|split; [exact S1|]].
        intros i Hi. rewrite Nat.mul_comm. apply V1, Hi. }
    destruct (if d =? 0 then Some ([(s, 0%Z)], zeros A) else walk A d s) as [[R1 bs1]|]; [|discriminate].
    destruct (modes A B) as [[Q cs]|]; [|discriminate]. injection E as <- <-. destruct (One R1 bs1 eq_refl) as (P1 & S1 & V1).
    destruct (below_plus _ _ _ Bl) as [_ Bq]. destruct (IH Q cs eq_refl Bq) as (PQ & SQ & VQ).
    split; [apply Forall_app; auto|]. split; [rewrite size_app, S1, SQ; reflexivity|]. intros i.
    rewrite concatenation, S1 by exact P1. rewrite (wrapped_mod R1), S1 by exact P1.
    destruct (V1 (i mod s) (Nat.mod_upper_bound i s ltac:(lia))) as [V D]. destruct (VQ (i / s)) as [V' D'].
    destruct (no_carry A PA _ _ _ _ D D' Bl) as [H H']. cbn [index]. rewrite H, V, V'. split; [reflexivity|exact H'].
Qed.

(** The composition, where there is one by these conditions, is first [B] and then [A]: at every index, the digits of [B] being
    reduced. *)
Theorem compose_right A B R : positive A -> Forall (fun m => 0 < fst m) B -> compose A B = Some R ->
  positive R /\ size R = elements B /\ forall i, i < elements B -> value R i = value A (index B i).
Proof.
  intros PA PB. unfold compose. destruct (modes A B) as [[R' bs]|] eqn:E; [|discriminate].
  destruct (below A bs) eqn:Bl; [|discriminate]. intros H. injection H as ->.
  destruct (modes_right A B PA PB R bs E Bl) as (P & S & V). split; [exact P|split; [exact S|]]. intros i Hi.
  rewrite value_wrapped by (rewrite ?S; assumption). apply V.
Qed.

(** What carries is refused, though the second layout is injective: at index 5 the modes one by one would be 7, not 11. *)
Example carries : compose [(6, 1%Z); (2, 10%Z)] [(2, 3); (3, 2)] = None.
Proof. reflexivity. Qed.
Example admitted_in_part : compose [(4, 1%Z); (6, 10%Z)] [(2, 3)] = Some [(2, 3%Z)].
Proof. reflexivity. Qed.
Example refused_in_part : compose [(4, 1%Z); (6, 10%Z)] [(4, 3)] = None.
Proof. reflexivity. Qed.
Example in_two_modes : compose [(6, 8%Z); (2, 2%Z)] [(4, 3); (3, 1)] = Some [(2, 24%Z); (2, 2%Z); (3, 8%Z)].
Proof. reflexivity. Qed.
