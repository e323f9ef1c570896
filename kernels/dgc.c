/* dgc.c - see dgc.h. */
#include "dgc.h"

#include "tcp.h"

static void set_mss(struct sim *s, struct flow *f, uint32_t mss)
{
    if (mss >= f->mss)
        return;
    double ratio = (double)f->mss / mss;
    f->mss = mss;
    if (f->cfg->dgc_cwnd != DGC_BYTES)
        return;
    tcp_set_cwnd(s, f, f->cwnd * ratio);
    tcp_set_ssthresh(s, f, f->ssthresh * ratio);
    tcp_set_ssthresh(s, f, f->ssthresh * ratio);
}

void dgc_note_window(struct sim *s, struct flow *f)
{
    bool is_avoiding = f->cwnd >= f->ssthresh;
    if (is_avoiding && !f->is_avoiding)
        set_mss(s, f,
                f->mss > DGC_ETHERNET_MSS    ? DGC_ETHERNET_MSS
                : f->mss == DGC_ETHERNET_MSS ? DGC_LEAST_MSS
                                             : f->mss);
    f->is_avoiding = is_avoiding;
}

void dgc_note_trouble(struct sim *s, struct flow *f)
{
    set_mss(s, f, DGC_LEAST_MSS);
}
