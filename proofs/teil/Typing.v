(** TeIL: expressions, statements, programs, and the rules by which they are well typed.

    A type is a list of sizes. Positions and sizes begin at 1. Each rule has its name from the language's definition; side
    conditions on positions ([1 <= i <= k] and the like) are that a list has such a position, see [without_there] and its
    neighbours. Sizes are numbers here: a program with size variables is well typed for all sizes that satisfy what it states.

    There are no literals, for they depend on the elements: a number is [Number v]. [Pointwise] stands for [add], [sub], [div],
    [min] and [max], and [Apply] for functions of each element, whatever they are. [Red B] is [red+], [red*], [redmin] or [redmax]: it adds
    up in the algebra [B], whose zero is the reduction's unit. *)
Require Import Arith String List Bool Lia.
Require Export Atl.Algebra Atl.teil.Positions.
Import ListNotations.

Definition sizes := list nat.
Definition context := string -> option sizes.

Section Language.
Context {V : Type}.

Inductive expr :=
| Var (x : string)
| Number (v : V)
| Apply (f : V -> V) (e : expr)
| Pointwise (f : V -> V -> V) (a b : expr)
| Mul (a b : expr)
| Prod (a b : expr)
| Red (B : algebra V) (i : nat) (e : expr)
| Transp (i j : nat) (e : expr)
| Diag (i j : nat) (e : expr)
| Contr (i j : nat) (e : expr)
| Expa (i n : nat) (e : expr)
| Proj (i m : nat) (e : expr).

Inductive stmt := Skip | Assign (x : string) (e : expr) | Seq (a b : stmt).

(** [alloc x : s], and so on; then what is done. *)
Record program := { allocated : list (string * sizes); body : stmt }.

Inductive typed (G : context) : expr -> sizes -> Prop :=
| T_Var x s : G x = Some s -> typed G (Var x) s
| T_Number v : typed G (Number v) []
| T_Fun f e s : typed G e s -> typed G (Apply f e) s
| T_Add f a b s : typed G a s -> typed G b s -> typed G (Pointwise f a b) s
| T_SMul a b s : typed G a [] -> typed G b s -> typed G (Mul a b) s
| T_Mul a b s : typed G a s -> typed G b s -> typed G (Mul a b) s
| T_Prod a b s t : typed G a s -> typed G b t -> typed G (Prod a b) (s ++ t)
| T_Red B i e s t : typed G e s -> without i s = Some t -> typed G (Red B i e) t
| T_Transp i j e s t : typed G e s -> exchange i j s = Some t -> typed G (Transp i j e) t
| T_Diag i j e s n t : typed G e s -> i < j -> entry i s = Some n -> entry j s = Some n -> without j s = Some t ->
    typed G (Diag i j e) t
| T_Contr i j e s n t u : typed G e s -> i < j -> entry i s = Some n -> entry j s = Some n -> without j s = Some t ->
    without i t = Some u -> typed G (Contr i j e) u
| T_Expa i n e s t : typed G e s -> 1 <= n -> insert i n s = Some t -> typed G (Expa i n e) t
| T_Proj i m e s n t : typed G e s -> entry i s = Some n -> 1 <= m <= n -> without i s = Some t -> typed G (Proj i m e) t.

Inductive well_formed (G : context) : stmt -> Prop :=
| OK_Empty : well_formed G Skip
| OK_Stmt x e s : G x = Some s -> typed G e s -> well_formed G (Assign x e)
| OK_Seq a b : well_formed G a -> well_formed G b -> well_formed G (Seq a b).

Fixpoint context_of (d : list (string * sizes)) : context := fun x =>
  match d with [] => None | (y, s) :: d => if String.eqb x y then Some s else context_of d x end.

Definition OK_Prog (p : program) : Prop :=
  NoDup (map fst (allocated p)) /\ Forall (fun d => Forall (le 1) (snd d)) (allocated p) /\
  well_formed (context_of (allocated p)) (body p).

(** * Types as a function *)
Definition alike (s t : sizes) : bool := if list_eq_dec Nat.eq_dec s t then true else false.

(** The diagonal's size, if there is one. *)
Definition diagonal (i j : nat) (s : sizes) : option nat :=
  match entry i s, entry j s with
  | Some n, Some m => if (i <? j) && (n =? m) then Some n else None
  | _, _ => None
  end.

(** [mul a b] is [T_SMul] where [a] has no dimensions, and [T_Mul] else. *)
Fixpoint type_of (G : context) (e : expr) : option sizes :=
  match e with
  | Var x => G x
  | Number _ => Some []
  | Apply _ e => type_of G e
  | Pointwise _ a b =>
      match type_of G a, type_of G b with Some s, Some t => if alike s t then Some s else None | _, _ => None end
  | Mul a b =>
      match type_of G a, type_of G b with
      | Some [], Some t => Some t
      | Some s, Some t => if alike s t then Some s else None
      | _, _ => None
      end
  | Prod a b => match type_of G a, type_of G b with Some s, Some t => Some (s ++ t) | _, _ => None end
  | Red _ i e => match type_of G e with Some s => without i s | None => None end
  | Transp i j e => match type_of G e with Some s => exchange i j s | None => None end
  | Diag i j e =>
      match type_of G e with
      | Some s => match diagonal i j s with Some _ => without j s | None => None end
      | None => None
      end
  | Contr i j e =>
      match type_of G e with
      | Some s =>
          match diagonal i j s, without j s with Some _, Some t => without i t | _, _ => None end
      | None => None
      end
  | Expa i n e => match type_of G e with Some s => if 1 <=? n then insert i n s else None | None => None end
  | Proj i m e =>
      match type_of G e with
      | Some s => match entry i s with Some n => if (1 <=? m) && (m <=? n) then without i s else None | None => None end
      | None => None
      end
  end.

Lemma alike_iff s t : alike s t = true <-> s = t.
Proof. unfold alike. destruct (list_eq_dec Nat.eq_dec s t); intuition congruence. Qed.

Lemma diagonal_iff i j s n : diagonal i j s = Some n <-> i < j /\ entry i s = Some n /\ entry j s = Some n.
Proof.
  unfold diagonal. destruct (entry i s) as [a|], (entry j s) as [b|]; try (split; [discriminate|intros (_ & ? & ?); discriminate]).
  destruct (Nat.ltb_spec i j); cbn; [|split; [discriminate|lia]].
  destruct (Nat.eqb_spec a b) as [->|D]; split; [intros E; injection E as ->; auto|intros (_ & E & _); exact E|discriminate|].
  intros (_ & E & F). congruence.
Qed.

(** The function finds a type exactly where the rules give one, so types are unique. *)
Theorem type_of_iff G e s : type_of G e = Some s <-> typed G e s.
Proof.
  split.
  - revert s. induction e as [x|v|f e IH|f a IHa b IHb|a IHa b IHb|a IHa b IHb|B i e IH|i j e IH|i j e IH|i j e IH|i n e IH|i m e IH];
      cbn [type_of]; intros t H.
    + constructor. exact H.
    + injection H as <-. constructor.
    + constructor. auto.
    + destruct (type_of G a) as [s|]; [|discriminate]. destruct (type_of G b) as [u|]; [|discriminate].
      destruct (alike s u) eqn:E; [|discriminate]. apply alike_iff in E. subst u. replace t with s by congruence. constructor; auto.
    + destruct (type_of G a) as [[|n s]|]; [| |discriminate]; (destruct (type_of G b) as [u|]; [|discriminate]).
      * apply T_SMul; auto.
      * destruct (alike (n :: s) u) eqn:E; [|discriminate]. apply alike_iff in E. subst u. replace t with (n :: s) by congruence.
        apply T_Mul; auto.
    + destruct (type_of G a) as [s|]; [|discriminate]. destruct (type_of G b) as [u|]; [|discriminate].
      injection H as <-. constructor; auto.
    + destruct (type_of G e) as [s|]; [|discriminate]. econstructor; eauto.
    + destruct (type_of G e) as [s|]; [|discriminate]. econstructor; eauto.
    + destruct (type_of G e) as [s|]; [|discriminate]. destruct (diagonal i j s) as [n|] eqn:D; [|discriminate].
      apply diagonal_iff in D as (L & I & J). econstructor; eauto.
    + destruct (type_of G e) as [s|]; [|discriminate]. destruct (diagonal i j s) as [n|] eqn:D; [|discriminate].
      apply diagonal_iff in D as (L & I & J). destruct (without j s) as [u|] eqn:W; [|discriminate]. eapply T_Contr; eauto.
    + destruct (type_of G e) as [s|]; [|discriminate]. destruct (Nat.leb_spec 1 n) as [L|L]; [|discriminate]. econstructor; eauto.
    + destruct (type_of G e) as [s|]; [|discriminate]. destruct (entry i s) as [n|] eqn:I; [|discriminate].
      destruct (Nat.leb_spec 1 m) as [L|L]; [|discriminate]. destruct (Nat.leb_spec m n) as [K|K]; [|discriminate].
      econstructor; eauto.
  - induction 1; cbn [type_of].
    + assumption.
    + reflexivity.
    + assumption.
    + rewrite IHtyped1, IHtyped2. rewrite (proj2 (alike_iff s s) eq_refl). reflexivity.
    + rewrite IHtyped1, IHtyped2. reflexivity.
    + rewrite IHtyped1, IHtyped2. rewrite (proj2 (alike_iff s s) eq_refl). destruct s; reflexivity.
    + rewrite IHtyped1, IHtyped2. reflexivity.
    + rewrite IHtyped. assumption.
    + rewrite IHtyped. assumption.
    + rewrite IHtyped. rewrite (proj2 (diagonal_iff i j s n)) by auto. assumption.
    + rewrite IHtyped. rewrite (proj2 (diagonal_iff i j s n)) by auto. rewrite H3. assumption.
    + rewrite IHtyped. rewrite (proj2 (Nat.leb_le 1 n)) by assumption. assumption.
    + rewrite IHtyped, H0. rewrite (proj2 (Nat.leb_le 1 m)), (proj2 (Nat.leb_le m n)) by lia. assumption.
Qed.

Corollary types_unique G e s t : typed G e s -> typed G e t -> s = t.
Proof. rewrite <- !type_of_iff. congruence. Qed.
End Language.
Arguments expr : clear implicits.
Arguments stmt : clear implicits.
Arguments program : clear implicits.
