"""The least danger of commands, and which commands a text starts."""

from __future__ import annotations

import pytest
from faultbook.checks.danger import least_danger
from faultbook.checks.shell import Started, read_script

HARMLESS = [
    "grep kill train.log",
    "grep -c 'rm -rf' train.log | sort",
    "echo 'sudo reboot'",
    'echo "kill {PID}"',
    "kill -0 {PID}",
    "kill -s 0 {PID}",
    "kill -l",
    "pkill -0 -f train.py",
    "fuser -v {PORT}/tcp",
    "fuser {PORT}/tcp",
    "shutdown -c",
    "systemctl status slurmd",
    "systemctl list-units --state=failed",
    "sysctl -n net.ipv4.ip_local_port_range",
    "sysctl -a | grep tcp",
    "nvidia-smi",
    "nvidia-smi -q -d MEMORY,ECC -i 0",
    "nvidia-smi --query-compute-apps=pid,used_memory --format=csv",
    "nvidia-smi pmon -c 1",
    "nvidia-smi topo -m",
    "scontrol show job {JOB}",
    "squeue --me",
    "kubectl get pods -n delete",
    "kubectl describe node {NODE}",
    "kubectl delete pod {POD} --dry-run=client",
    "kubectl logs {POD} --previous",
    "docker run --rm --shm-size=8g image",
    "docker ps -a",
    "docker stats --no-stream",
    "git status",
    "git clean -n -d",
    "git restore --staged train.py",
    "dd if=/dev/zero of=/dev/null bs=1M count=1",
    "find . -name '*.tmp'",
    "rsync -a a/ b/",
    "mount",
    "umount --help",
    "ip link show",
    "ip -s link show eth0",
    "ethtool -S eth0",
    "iptables -L -n",
    "sed -n 1,20p /etc/hosts",
    "cat /etc/security/limits.conf > limits.txt",
    "ray status",
    "tmux kill-list",
    "python train.py & pid=$!; sleep 5; kill $pid",
    "python serve.py & kill %1",
    "python serve.py & sleep 1; kill -TERM $!",
    'd=$(mktemp -d); df -h "$d"; rm -r "$d"',
    "timeout 10 torchrun --standalone train.py",
    "awk '{print $1}' /proc/net/sockstat",
]
REVERSIBLE = [
    "sudo sysctl -w vm.swappiness=10",
    "sysctl net.ipv4.tcp_tw_reuse=1",
    "sudo sysctl --system",
    "nvidia-smi -pm 1",
    "sudo nvidia-smi -i 0 -pl 300",
    "scontrol update NodeName={NODE} State=RESUME",
    "scontrol hold {JOB}",
    "kubectl cordon {NODE}",
    "echo 1 | sudo tee /etc/sysctl.d/60.conf",
    "echo 1 > /proc/sys/vm/drop_caches",
    "sudo sh -c 'echo always > /sys/kernel/mm/transparent_hugepage/enabled'",
    "sed -i s/a/b/ /etc/hosts",
    "sudo ip link set eth0 mtu 9000",
    "sudo ip route add default via 10.0.0.1",
    "mount -o remount,size=16G /dev/shm",
    "sudo iptables -A INPUT -p tcp -j ACCEPT",
    "sudo systemctl enable nvidia-persistenced",
]
DISRUPTIVE = [
    "kill {PID}",
    "kill -9 {PID}",
    "kill -TERM -- -{PGID}",
    "sudo kill -KILL $pid",
    "/bin/kill {PID}",
    "pkill -f train.py",
    "killall python",
    "fuser -k {PORT}/tcp",
    "sudo fuser -vk {PORT}/tcp",
    "fuser --kill {PORT}/tcp",
    "sudo reboot",
    "shutdown -r now",
    "sudo systemctl restart slurmd",
    "systemctl --user stop trainer",
    "service docker restart",
    "scancel {JOB}",
    "scontrol requeue {JOB}",
    "scontrol update NodeName={NODE} State=DRAIN Reason=xid",
    "kubectl -n train delete pod {POD}",
    "kubectl drain {NODE} --ignore-daemonsets",
    "kubectl rollout restart deployment/trainer",
    "docker kill {CONTAINER}",
    "docker compose down",
    "sudo modprobe -r nvidia_uvm",
    "rmmod nvidia",
    "ray stop",
    "lsof -ti :{PORT} | xargs -r kill",
    "ssh {HOST} 'sudo reboot'",
    "ssh -p 22 {HOST} pkill -f train.py",
    "pdsh -w {HOSTS} 'pkill -9 python'",
    "bash -c 'kill {PID}'",
    "kubectl exec {POD} -- kill 1",
    "docker exec -u root {CONTAINER} kill 1",
    "srun -N 2 --overlap pkill python",
    "timeout -s KILL 5 killall python",
    "nohup setsid kill {PID}",
    "if true; then kill {PID}; fi",
    "x=$(pkill -c python)",
    "ps -o pid= -u $USER | while read p; do kill $p; done",
    "echo 1 > /sys/bus/pci/devices/{BUS}/remove",
]
DESTRUCTIVE = [
    "rm -rf checkpoints",
    "rm -f /dev/shm/torch_*",
    "sudo rm -r -- {STORE_DIR}",
    "\\rm last.pt",
    "find /dev/shm -user $USER -delete",
    "find . -name '*.tmp' -exec rm {} +",
    "ls | xargs rm",
    "dd if=/dev/zero of=/dev/nvme0n1",
    "mkfs.ext4 /dev/nvme0n1",
    "truncate -s 0 train.log",
    "git clean -fdx",
    "git -C repo reset --hard origin/main",
    "git checkout -- .",
    "docker system prune -af",
    "docker rm -f {CONTAINER}",
    "docker volume rm data",
    "kubectl delete pvc data",
    "kubectl delete namespace train",
    "sudo nvidia-smi --gpu-reset -i 0",
    "sudo nvidia-smi -i 0 -r",
    "rsync -a --delete a/ b/",
    "aws s3 rm --recursive s3://bucket/checkpoints",
    "hf cache prune",
    "ipcrm -a",
    "kill {PID}; rm -r ckpt",
]
CASES = [
    *((text, None) for text in HARMLESS),
    *((text, "reversible") for text in REVERSIBLE),
    *((text, "disruptive") for text in DISRUPTIVE),
    *((text, "destructive") for text in DESTRUCTIVE),
]


@pytest.mark.parametrize(("text", "danger"), CASES, ids=[text for text, _ in CASES])
def test_least_danger_of_a_command(text: str, danger: str | None) -> None:
    assert least_danger(text)[0] == danger


def test_message_names_the_command_with_its_placeholder() -> None:
    assert least_danger("ss -Htlnp && sudo kill -TERM {PID}")[1] == "kill -TERM {PID}"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("A=1 B=2 env C=3 nice -n 5 python x.py", ["env", "nice", "python"]),
        ("! grep -q x y && /usr/bin/ss -l", ["grep", "ss"]),
        ("for h in a b; do ssh -o X=y $h uptime; done", ["ssh", "uptime"]),
        ("cat <<EOF\nrm -rf /\n$(date)\nEOF", ["cat", "date"]),
        ("f() { ls; }; f", ["f", "ls"]),
        ("diff <(sort a) <(sort b)", ["diff", "sort", "sort"]),
        ("sudo -u {USER} bash -lc 'cd x && make'", ["sudo", "bash", "cd", "make"]),
        ("ip netns exec ns ss -l", ["ip", "ss"]),
        ("watch -n 1 'nvidia-smi | head'", ["watch", "nvidia-smi", "head"]),
        ('eval "ls -l; df"', ["eval", "ls", "df"]),
        ("unbalanced 'quote", ["unbalanced"]),
        ("", []),
    ],
)
def test_commands_that_a_text_starts(text: str, names: list[str]) -> None:
    assert {started.name for started in read_script(text).commands} == set(names)


def test_arguments_come_without_quotes_and_with_placeholders() -> None:
    assert read_script("kill -9 '{PID}' \"$x\" a\\ b c'd'").commands == (
        Started("kill", ("-9", "_PID_", "$x", "a b", "cd")),
    )


def test_shells_within_shells_are_read_to_a_bounded_depth() -> None:
    text = "reboot"
    for _ in range(40):
        text = f"eval {text}"
    assert {started.name for started in read_script(text).commands} == {"eval"}
