"""What `initialize` does once all is known: service, connection, and what listens to both."""

import os
import warnings
from collections.abc import Callable
from typing import Any

from jax._src.base import config, options, records
from jax._src.distributed import lazy_modules
from jax._src.distributed.clusters import addresses
from jax._src.distributed.security import security
from jax._src.distributed.service import hosting

# How long a process looks for the name in the certificate of a standby.
_NAME_S = 0.5


@records.record
class Joined:
    """What a process has as a part of a job."""

    service: hosting.Host | None
    client: Any
    preemption: Any
    standby: Any
    # Called when it leaves.
    endings: list[Callable[[], None]]


def join(plan: Any, *, is_new: bool) -> Joined:
    """Starts the service in process 0, and waits until all processes are connected.

    Args:
        plan: an `arguments.Plan`.
        is_new: whether this process has loaded gRPC, and not used it.

    Raises:
        RuntimeError: the service cannot listen, or refuses this process, or not all came.
        ValueError: the certificates do not fit.
    """
    identity = security.identity(plan)
    starting = service = me = None
    try:
        if plan.process_id == 0 and not plan.has_service:
            starting = _serve(plan, identity, is_new)
        # What this process needs is loaded while the service starts.
        client, standby_host = (
            lazy_modules.load("client.client"),
            lazy_modules.load("client.standby_host"),
        )
        signals = lazy_modules.load("client.signals")
        if starting is not None and not identity.is_plain:
            # Its certificate may have to be looked at.
            service = starting.finish()
        me = client.Client(
            client.Endpoint(
                address=plan.coordinator_address,
                process_id=plan.process_id,
                num_processes=plan.num_processes,
                heartbeat_s=plan.heartbeat_s,
                shutdown_s=plan.shutdown_s,
                collective_s=options.collective_timeout.value,
                credentials=identity.client_credentials(),
                server_name=identity.server_name(
                    plan.coordinator_address, plan.initialization_s
                ),
                standby_name=lambda address: identity.server_name(address, _NAME_S),
            )
        )
        standby = standby_host.StandbyHost(plan, identity, me.session)
        if starting is not None and service is None:
            service = starting.finish()
        me.connect(plan.initialization_s)
    except BaseException:
        if me is not None:
            me.leave()
        if service is not None:
            service.shutdown()
        elif starting is not None:
            starting.give_up()
        identity.forget()
        raise
    endings = [identity.forget]
    manager = None
    if config.config.jax_enable_preemption_service:
        manager = lazy_modules.load("client.preemption").PreemptionSyncManager()
        manager.initialize(me)
    endings += signals.attend(me, manager)
    return Joined(service, me, manager, standby, endings)


def _serve(plan, identity, is_new):
    if plan.bind_address:
        bound = [plan.bind_address]
    else:
        bound, warning = addresses.to_bind(plan.coordinator_address)
        if warning:
            warnings.warn(f"jax.distributed: {warning}", stacklevel=2)
    if identity.is_plain and _is_open(bound) and not _is_insecure_wanted():
        warnings.warn(
            f"jax.distributed: the coordination service at {', '.join(bound)} speaks plain "
            "text. Whoever reaches it may read and change what the processes send each other. "
            "Use certificates or a secret file (docs/clusters.md, Security), or set "
            "JAX_DISTRIBUTED_INSECURE=1 if only friends can reach it.",
            stacklevel=2,
        )
    settings = {
        "num_processes": plan.num_processes,
        "heartbeat_s": plan.heartbeat_s,
        "shutdown_s": plan.shutdown_s,
        "is_recoverable": bool(config.config.jax_enable_recoverability),
        "peer_uri_prefix": plan.peer_uri_prefix or identity.uri_prefix,
        "standby": plan.standby,
    }
    return hosting.begin(bound, settings, identity.files, is_new=is_new)


def _is_open(bound):
    return not all(addresses.is_loopback(addresses.split(a)[0]) for a in bound)


def _is_insecure_wanted():
    return os.environ.get("JAX_DISTRIBUTED_INSECURE", "") == "1"
